#include "session.h"

#include <atomic>
#include <errno.h>
#include <new>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rank_file.h"
#include "recorder/core/bus_guard.h"
#include "recorder/core/clock.h"
#include "thread_state.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace lockstep::recorder {
namespace {

constexpr std::uint64_t kClockIntervalNs = 10'000'000'000;
// The C library keeps the values of the first keys in the thread itself and allocates for the others.
constexpr pthread_key_t kMostFreeKeys = 32;
// The number of a session: its process, and above it how often that was a rank before.
constexpr std::int32_t kPidBits = 22;
constexpr std::int32_t kMostLives = 1 << (31 - kPidBits);

Settings settings_at_load;
std::atomic<Session*> session_memory{nullptr};
std::atomic<bool> is_restarting{false};
pthread_key_t thread_key = 0;
bool has_thread_key = false;

// Kernels and sandboxes that cannot wipe.
void wipe_in_child() {
  ::memset(static_cast<void*>(session_memory.load()), 0, sizeof(Session));
}

}  // namespace

constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec"))) = {};

const Settings& Session::settings() {
  return settings_at_load;
}

Session* Session::recording() {
  Session* session = session_memory.load(std::memory_order_acquire);
  if (session == nullptr || session->phase_.load(std::memory_order_acquire) != kRecording) return nullptr;
  return session;
}

// Zeroed, and zeroed again in a forked child; null where that cannot be had.
Session* Session::map() {
  void* memory = ::mmap(nullptr, sizeof(Session), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  static bool has_handler = false;
  if (::madvise(memory, sizeof(Session), MADV_WIPEONFORK) == 0 || has_handler) {
    return static_cast<Session*>(memory);
  }
  has_handler = ::pthread_atfork(nullptr, nullptr, wipe_in_child) == 0;
  return has_handler ? static_cast<Session*>(memory) : nullptr;
}

void Session::prepare(const Settings& settings) {
  settings_at_load = settings;
  if (settings.folder[0] == '\0') return;
  session_memory.store(map());
  has_thread_key = ::pthread_key_create(&thread_key, leave_thread) == 0 && thread_key < kMostFreeKeys;
}

int Session::start(const lockstep_rank_facts& facts) {
  Session* memory = session_memory.load(std::memory_order_acquire);
  if (memory == nullptr) return ECANCELED;
  std::uint32_t phase = memory->phase_.load(std::memory_order_acquire);
  if (phase == kIdle && !is_rank_known(facts)) return ENOENT;  // another adapter may know it later
  phase = kIdle;
  if (!memory->phase_.compare_exchange_strong(phase, kStarting)) {
    return phase == kRecording ? 0 : EAGAIN;
  }
  auto* session = new (memory) Session;
  session->phase_.store(kStarting, std::memory_order_relaxed);
  const int error = session->open(facts, 0);
  session->phase_.store(error == 0 ? kRecording : kFailed, std::memory_order_release);
  return error;
}

int Session::restart(const lockstep_rank_facts& facts) {
  Session* before = recording();
  if (before == nullptr) return start(facts);
  if (is_restarting.exchange(true)) return EAGAIN;
  before->payload_.drain();
  before->writer_.say_goodbye(-1);
  const std::int32_t life = (before->id_ >> kPidBits) + 1;
  Session* memory = life < kMostLives ? map() : nullptr;
  int error = memory == nullptr ? ENOMEM : 0;
  if (error == 0) {
    auto* session = new (memory) Session;
    error = session->open(facts, life);
    session->phase_.store(error == 0 ? kRecording : kFailed, std::memory_order_release);
    session_memory.store(session, std::memory_order_release);
  } else {
    before->phase_.store(kFailed, std::memory_order_release);
  }
  is_restarting.store(false);
  return error;
}

int Session::open(const lockstep_rank_facts& facts, std::int32_t life) {
  id_ = ::getpid() | life << kPidBits;
  if (const int error = numbers_.create()) return error;
  last_clock_ns_.store(monotonic_now_ns(), std::memory_order_relaxed);
  tell_of_lost_pages(stop_without_file);
  OpenedRank opened;
  if (const int error = open_rank_file(writer_, settings_at_load, facts, opened)) return error;
  payload_.open(settings_at_load, opened);  // without it the rank is recorded all the same
  return 0;
}

// In a signal handler. Threads that are inside write on into memory that nobody reads.
void Session::stop_without_file(const void* lost_address) {
  Session* session = session_memory.load(std::memory_order_acquire);
  if (session == nullptr || !session->writer_.covers(lost_address)) return;
  session->phase_.store(kFailed, std::memory_order_release);
}

Lane* Session::lane() {
  if (thread_state.session == id_) [[likely]]
    return thread_state.lane;
  return take_lane();
}

Lane* Session::take_lane() {
  const auto thread = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  thread_state.session = id_;
  thread_state.lane = nullptr;
  for (std::size_t probe = 0; probe < kMostThreads; ++probe) {
    LaneSlot& slot = lanes_[(thread + probe) % kMostThreads];
    if (slot.is_taken.exchange(true, std::memory_order_acquire)) continue;
    writer_.open_lane(slot.lane, thread);
    thread_state.lane = &slot.lane;
    if (has_thread_key) ::pthread_setspecific(thread_key, &slot);
    break;
  }
  return thread_state.lane;
}

// At the end of a thread. One that forked, and ends in the child, holds a lane of its parent.
void Session::leave_thread(void* slot_of_thread) {
  Session* session = recording();
  if (session == nullptr || thread_state.session != session->id_ || thread_state.is_inside) return;
  auto* slot = static_cast<LaneSlot*>(slot_of_thread);
  thread_state.session = 0;
  session->writer_.close_lane(slot->lane);
  slot->is_taken.store(false, std::memory_order_release);
}

void Session::note_clock(Lane& lane, std::uint64_t now_ns) {
  std::uint64_t last = last_clock_ns_.load(std::memory_order_relaxed);
  if (now_ns - last < kClockIntervalNs || now_ns < last) [[likely]]
    return;
  if (!last_clock_ns_.compare_exchange_strong(last, now_ns, std::memory_order_relaxed)) return;
  lockstep_clock clock{};
  clock.monotonic_ns = monotonic_now_ns();
  clock.wall_ns = wall_now_ns();
  lane.write(clock);
}

}  // namespace lockstep::recorder
