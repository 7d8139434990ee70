#include "base/guarded_mapping.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::base {
namespace {

// Half of what Linux gives a process by default (vm.max_map_count).
constexpr std::size_t kMaxGuarded = 32768;

// Read by the handler of a signal, in any thread and at any time: nothing but atomics, at a place that stays.
struct Guarded {
  std::atomic<std::uintptr_t> begin = 0;  // 0: free
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<bool> has_shrunk = false;
};

std::array<Guarded, kMaxGuarded> all_guarded;
std::atomic<std::size_t> highest_guarded = 0;  // one behind the last that was ever used
std::uintptr_t bytes_of_page = 4096;
struct sigaction action_before {};

Guarded* guarded_at(std::uintptr_t place) {
  const std::size_t end = highest_guarded.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < end; ++i) {
    const std::uintptr_t begin = all_guarded[i].begin.load(std::memory_order_acquire);
    if (begin != 0 && place >= begin && place < all_guarded[i].end.load(std::memory_order_acquire))
      return &all_guarded[i];
  }
  return nullptr;
}

// Zeros from the page on that could not be read: what lies behind it is gone too.
bool fill_with_zeros(std::uintptr_t place) {
  Guarded* const guarded = guarded_at(place);
  if (guarded == nullptr) return false;
  const std::uintptr_t page = place / bytes_of_page * bytes_of_page;
  void* const filled = ::mmap(reinterpret_cast<void*>(page), guarded->end.load() - page, PROT_READ,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (filled == MAP_FAILED) return false;
  guarded->has_shrunk.store(true, std::memory_order_release);
  return true;
}

bool is_fault(const siginfo_t& info) {
  return info.si_code > 0 && info.si_code != BUS_MCEERR_AO;
}

// What faulted faults again, by itself; what was sent is sent again, as it came: whoever listened before
// hears of it, and a process where nobody did ends by it.
void leave_to_who_listened_before(siginfo_t* info) {
  ::sigaction(SIGBUS, &action_before, nullptr);
  if (!is_fault(*info)) ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), SIGBUS, info);
}

bool somebody_listened_before() {
  return action_before.sa_handler != SIG_DFL && action_before.sa_handler != SIG_IGN;
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int error_before = errno;
  const bool is_gone = info->si_code == BUS_ADRERR;
  if (is_gone && fill_with_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    // the instruction reads zeros now
  } else if (somebody_listened_before() && (action_before.sa_flags & SA_SIGINFO) != 0) {
    action_before.sa_sigaction(signal, info, context);
  } else if (is_fault(*info) || action_before.sa_handler != SIG_IGN) {
    leave_to_who_listened_before(info);
  }
  errno = error_before;
}

void listen_for_bus_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    bytes_of_page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &action_before);
  });
}

std::mutex& places() {
  static std::mutex mutex;
  return mutex;
}

Guarded* free_place() {
  const std::size_t end = highest_guarded.load();
  static std::size_t next = 0;  // places become free from anywhere; most often the next one is
  for (std::size_t tried = 0; tried < end; ++tried) {
    const std::size_t i = (next + tried) % end;
    if (all_guarded[i].begin.load() != 0) continue;
    next = i + 1;
    return &all_guarded[i];
  }
  if (end == kMaxGuarded) return nullptr;
  highest_guarded.store(end + 1, std::memory_order_release);
  return &all_guarded[end];
}

}  // namespace

void* map_guarded(int fd, std::size_t offset, std::size_t bytes) {
  listen_for_bus_errors();
  const std::lock_guard lock(places());
  Guarded* const guarded = free_place();
  if (guarded == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const place = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, static_cast<off_t>(offset));
  if (place == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(place);
  guarded->has_shrunk.store(false);
  guarded->end.store((begin + bytes + bytes_of_page - 1) / bytes_of_page * bytes_of_page);
  guarded->begin.store(begin, std::memory_order_release);
  return place;
}

void unmap_guarded(void* place, std::size_t bytes) {
  const std::lock_guard lock(places());
  if (Guarded* const guarded = guarded_at(reinterpret_cast<std::uintptr_t>(place))) guarded->begin.store(0);
  ::munmap(place, bytes);
}

bool has_shrunk(const void* place) {
  const Guarded* const guarded = guarded_at(reinterpret_cast<std::uintptr_t>(place));
  return guarded != nullptr && guarded->has_shrunk.load(std::memory_order_acquire);
}

}  // namespace lockstep::base
