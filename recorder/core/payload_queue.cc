#include "payload_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lockstep/payload_format.h"

namespace lockstep::recorder {
namespace {

constexpr long kShortestNapNs = 500'000;
constexpr long kLongestNapNs = 8'000'000;
constexpr int kNapsWithoutProgress = 2500;  // 20 s

void nap(long ns) {
  const timespec time{0, ns};
  ::nanosleep(&time, nullptr);
}

// A thread that takes no signal of the process.
int start_thread(void* (*run)(void*), void* argument) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = ::pthread_create(&thread, nullptr, run, argument);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) ::pthread_detach(thread);
  return error;
}

}  // namespace

int PayloadQueue::open(const char* path, const void* head, std::size_t head_bytes, std::size_t memory_bytes) {
  const std::size_t least = 4 * kKeptForSmall;
  capacity_ = (memory_bytes < least ? least : memory_bytes) / 4096 * 4096;
  file_ = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0600);
  if (file_ < 0) return errno;
  void* place =
      ::mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return errno;
  ::madvise(place, capacity_, MADV_DONTFORK);
  memory_ = static_cast<char*>(place);
  write_all(static_cast<const char*>(head), head_bytes);
  if (const int error = error_.load()) return error;
  return start_thread(run, this);
}

// Held for some instructions only; its holder may be waiting for this very core.
void PayloadQueue::lock() {
  while (is_locked_.exchange(true, std::memory_order_acquire)) ::sched_yield();
}

PayloadQueue::Slot* PayloadQueue::slot_at(std::uint64_t position) const {
  return reinterpret_cast<Slot*>(memory_ + position % capacity_);
}

PayloadQueue::Slot* PayloadQueue::reserve(std::size_t entry_bytes) {
  const std::size_t needed = sizeof(Slot) + lockstep_payload_padded(entry_bytes);
  const std::size_t kept = entry_bytes > kLarge ? kKeptForSmall : 0;
  lock();
  std::uint64_t head = head_.load(std::memory_order_relaxed);
  const std::size_t to_end = capacity_ - head % capacity_;
  const std::size_t filler = to_end < needed ? to_end : 0;
  const std::uint64_t used = head - tail_.load(std::memory_order_acquire);
  if (used + filler + needed + kept + sizeof(Slot) > capacity_) {
    unlock();
    return nullptr;
  }
  if (filler != 0) {
    if (filler >= sizeof(Slot)) {
      slot_at(head)->bytes = filler | kFiller;
      slot_at(head)->is_ready.store(1, std::memory_order_relaxed);
    }
    head += filler;
  }
  Slot* const slot = slot_at(head);
  slot->is_ready.store(0, std::memory_order_relaxed);
  slot->bytes = needed;
  slot->entry_bytes = lockstep_payload_padded(entry_bytes);
  head_.store(head + needed, std::memory_order_release);
  unlock();
  return slot;
}

bool PayloadQueue::put(std::uint16_t type, const void* fixed, std::size_t fixed_bytes,
                       const lockstep_piece* pieces, std::size_t count) {
  if (error() != 0) return false;
  lockstep_payload_entry entry{};
  entry.magic = LOCKSTEP_PAYLOAD_ENTRY_MAGIC;
  entry.type = type;
  entry.bytes = fixed_bytes;
  for (std::size_t i = 0; i < count; ++i) entry.bytes += pieces[i].bytes;
  const std::size_t padded = lockstep_payload_padded(entry.bytes);
  Slot* const slot = reserve(sizeof entry + padded);
  if (slot == nullptr) return false;
  char* const body = reinterpret_cast<char*>(slot + 1) + sizeof entry;
  char* at = body;
  ::memcpy(at, fixed, fixed_bytes);
  at += fixed_bytes;
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces[i].bytes != 0) ::memcpy(at, pieces[i].data, pieces[i].bytes);
    at += pieces[i].bytes;
  }
  ::memset(at, 0, padded - entry.bytes);
  entry.check = lockstep_words_check(body, lockstep_payload_checked(type, entry.bytes) / 8, entry.bytes);
  ::memcpy(body - sizeof entry, &entry, sizeof entry);
  slot->is_ready.store(1, std::memory_order_release);
  return true;
}

void* PayloadQueue::run(void* queue) {
  auto* const self = static_cast<PayloadQueue*>(queue);
  for (long rest = kShortestNapNs;;) {
    if (self->write_next()) {
      rest = kShortestNapNs;
      continue;
    }
    self->start_over_when_empty();
    nap(rest);
    if (rest < kLongestNapNs) rest *= 2;
  }
}

bool PayloadQueue::write_next() {
  const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
  if (tail == head_.load(std::memory_order_acquire)) return false;
  const std::size_t to_end = capacity_ - tail % capacity_;
  if (to_end < sizeof(Slot)) {
    tail_.store(tail + to_end, std::memory_order_release);
    return true;
  }
  Slot* const slot = slot_at(tail);
  if (slot->is_ready.load(std::memory_order_acquire) == 0) return false;
  if ((slot->bytes & kFiller) == 0) write_all(reinterpret_cast<const char*>(slot + 1), slot->entry_bytes);
  tail_.store(tail + (slot->bytes & ~kFiller), std::memory_order_release);
  written_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// An entry is in the file whole or not at all; after an error the file stays as it is.
void PayloadQueue::write_all(const char* data, std::size_t bytes) {
  if (error() != 0) return;
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t wrote = ::write(file_, data + done, bytes - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      error_.store(wrote < 0 ? errno : EIO, std::memory_order_relaxed);
      if (::ftruncate(file_, static_cast<off_t>(file_end_)) != 0) return;
      return;
    }
    done += static_cast<std::size_t>(wrote);
  }
  file_end_ += bytes;
}

// From the front of the memory again, so that a queue that is never long touches little of it.
void PayloadQueue::start_over_when_empty() {
  lock();
  if (head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_relaxed)) {
    head_.store(0, std::memory_order_relaxed);
    tail_.store(0, std::memory_order_relaxed);
  }
  unlock();
}

void PayloadQueue::drain() {
  if (memory_ == nullptr) return;
  std::uint64_t last = written_.load(std::memory_order_relaxed);
  for (int naps = 0; naps < kNapsWithoutProgress; ++naps) {
    lock();
    const bool is_empty = head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire);
    unlock();
    if (is_empty) return;
    nap(kLongestNapNs);
    const std::uint64_t now = written_.load(std::memory_order_relaxed);
    if (now != last) naps = 0;
    last = now;
  }
}

}  // namespace lockstep::recorder
