#include "payload_queue.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "lockstep/payload_format.h"

namespace lockstep::recorder {
namespace {

constexpr std::size_t kPage = LOCKSTEP_PAYLOAD_BLOB_ALIGNMENT;
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

int PayloadQueue::open(const char* base, const lockstep_payload_file& head, std::size_t memory_bytes) {
  const std::size_t least = 4 * kKeptForSmall;
  capacity_ = (memory_bytes < least ? least : memory_bytes) / kPage * kPage;
  if (const int error = files_.open(base, head)) return error;
  void* place =
      ::mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return errno;
  ::madvise(place, capacity_, MADV_DONTFORK);
  ::madvise(place, capacity_, MADV_HUGEPAGE);  // its first use costs three times the copying otherwise
  memory_ = static_cast<char*>(place);
  return start_thread(run, this);
}

// Held for some instructions only; its holder may be waiting for this very core.
void PayloadQueue::lock() {
  while (is_locked_.exchange(true, std::memory_order_acquire)) ::sched_yield();
}

PayloadQueue::Slot* PayloadQueue::slot_at(std::uint64_t position) const {
  return reinterpret_cast<Slot*>(memory_ + position % capacity_);
}

// The content of a blob begins at a page.
char* PayloadQueue::content_of(Slot* slot) const {
  char* const behind = reinterpret_cast<char*>(slot + 1);
  const std::size_t beyond = static_cast<std::size_t>(behind - memory_) % kPage;
  return slot->kind == kBlob && beyond != 0 ? behind + (kPage - beyond) : behind;
}

std::size_t PayloadQueue::bytes_for(std::uint64_t position, Kind kind, std::size_t content_bytes) const {
  if (kind != kBlob) return sizeof(Slot) + lockstep_payload_padded(content_bytes);
  const std::size_t beyond = (position % capacity_ + sizeof(Slot)) % kPage;
  return sizeof(Slot) + (kPage - beyond) % kPage + (content_bytes + kPage - 1) / kPage * kPage;
}

PayloadQueue::Slot* PayloadQueue::reserve(Kind kind, std::size_t content_bytes) {
  const std::size_t kept = content_bytes > kLarge ? kKeptForSmall : 0;
  lock();
  std::uint64_t head = head_.load(std::memory_order_relaxed);
  const std::size_t to_end = capacity_ - head % capacity_;
  const std::size_t filler = to_end < bytes_for(head, kind, content_bytes) ? to_end : 0;
  const std::size_t needed = bytes_for(head + filler, kind, content_bytes);
  const std::uint64_t used = head - tail_.load(std::memory_order_acquire);
  if (used + filler + needed + kept + sizeof(Slot) > capacity_) {
    unlock();
    return nullptr;
  }
  if (filler >= sizeof(Slot)) {
    slot_at(head)->bytes = filler;
    slot_at(head)->kind = kFiller;
    slot_at(head)->is_ready.store(1, std::memory_order_relaxed);
  }
  head += filler;
  Slot* const slot = slot_at(head);
  slot->is_ready.store(0, std::memory_order_relaxed);
  slot->bytes = needed;
  slot->kind = kind;
  slot->content_bytes = content_bytes;
  head_.store(head + needed, std::memory_order_release);
  unlock();
  return slot;
}

bool PayloadQueue::put(std::uint16_t type, const void* fixed, std::size_t fixed_bytes,
                       const lockstep_piece* pieces, std::size_t count) {
  if (files_.error() != 0) return false;
  lockstep_payload_entry entry{};
  entry.magic = LOCKSTEP_PAYLOAD_ENTRY_MAGIC;
  entry.type = type;
  entry.bytes = fixed_bytes;
  for (std::size_t i = 0; i < count; ++i) entry.bytes += pieces[i].bytes;
  const std::size_t padded = lockstep_payload_padded(entry.bytes);
  Slot* const slot = reserve(kEntry, sizeof entry + padded);
  if (slot == nullptr) return false;
  char* const body = content_of(slot) + sizeof entry;
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

bool PayloadQueue::put_blob(const Hash128& hash, const lockstep_piece& content) {
  if (error() != 0) return false;
  if (content.bytes <= kLarge) {
    lockstep_payload_blob blob{};
    ::memcpy(blob.hash, hash.bytes, sizeof blob.hash);
    blob.bytes = content.bytes;
    return put(LOCKSTEP_PAYLOAD_BLOB, &blob, sizeof blob, &content, 1);
  }
  Slot* const slot = reserve(kBlob, content.bytes);
  if (slot == nullptr) return false;
  slot->hash = hash;
  char* const place = content_of(slot);
  ::memcpy(place, content.data, content.bytes);
  ::memset(place + content.bytes, 0, (kPage - content.bytes % kPage) % kPage);
  slot->is_ready.store(1, std::memory_order_release);
  return true;
}

bool PayloadQueue::begin_part(std::uint32_t number, std::uint64_t first_step, std::uint32_t kept_from) {
  if (files_.error() != 0) return false;
  Slot* const slot = reserve(kPart, 0);
  if (slot == nullptr) return false;
  slot->part[0] = number;
  slot->part[1] = kept_from;
  slot->part_step = first_step;
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
  write(*slot);
  tail_.store(tail + slot->bytes, std::memory_order_release);
  written_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void PayloadQueue::write(Slot& slot) {
  switch (slot.kind) {
    case kFiller:
      return;
    case kEntry:
      return files_.append(content_of(&slot), slot.content_bytes);
    case kBlob:
      return files_.append_blob(slot.hash.bytes, content_of(&slot), slot.content_bytes);
    case kPart:
      files_.begin_part(slot.part[0], slot.part_step);
      return files_.remove_parts_below(slot.part[1]);
  }
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
