#include "chunk_supply.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"

namespace lockstep::recorder {
namespace {

// Small enough for the cache: the zeros of a new window are still there when the events come.
constexpr std::size_t kWindowBytes = std::size_t{256} << 10;
constexpr std::uint64_t kWindowRetryInterval = 1024;

void raise_to(std::atomic<std::size_t>& value, std::size_t least) {
  std::size_t now = value.load(std::memory_order_relaxed);
  while (now < least && !value.compare_exchange_weak(now, least, std::memory_order_release)) {
  }
}

}  // namespace

int ChunkSupply::open(const ChunkSupplyOptions& options) {
  chunk_bytes_ = options.chunk_bytes;
  header_bytes_ = options.header_bytes;
  window_chunks_ = static_cast<std::uint32_t>(kWindowBytes / chunk_bytes_);
  if (window_chunks_ == 0) window_chunks_ = 1;
  int error = file_.create(options.path, options.max_bytes);
  if (error == 0) error = file_.prepare(0, header_bytes_);
  if (error != 0) return error;
  const std::size_t window_bytes = std::size_t{window_chunks_} * chunk_bytes_;
  const std::size_t room = file_.max_bytes() > header_bytes_ ? file_.max_bytes() - header_bytes_ : 0;
  most_chunks_ = room / window_bytes * window_chunks_;
  if (!options.is_ring || most_chunks_ == 0) return 0;
  void* states = ::mmap(nullptr, most_chunks_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (states == MAP_FAILED) return errno;
  chunk_states_ = static_cast<std::atomic<unsigned char>*>(states);
  return 0;
}

void ChunkSupply::close() {
  if (chunk_states_ != nullptr) ::munmap(chunk_states_, most_chunks_);
  chunk_states_ = nullptr;
  file_.unmap_and_close();
}

bool ChunkSupply::claim(ChunkPlace& place, std::uint32_t kind, std::uint32_t thread) {
  std::size_t index = 0;
  bool is_used = false;
  if (!take_new(index)) {
    is_used = is_ring() && take_oldest(index);
    if (!is_used) return false;
  }
  char* chunk = chunk_at(index);
  const std::uint64_t claims = claimed_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t sequence = is_ring() ? claims + 1 : index + 1;
  if (is_ring()) chunk_states_[index].store(kInUse, std::memory_order_relaxed);
  if (is_used) wipe(chunk);
  write_chunk_header(chunk, sequence, kind, thread);
  char* first = chunk + sizeof(lockstep_chunk_header);
  place = ChunkPlace{first, first, chunk + chunk_bytes_, sequence};
  return true;
}

void ChunkSupply::release(const ChunkPlace& place) {
  if (!is_ring() || place.end == nullptr) return;
  const auto index = static_cast<std::size_t>(place.end - chunk_at(1)) / chunk_bytes_;
  chunk_states_[index].store(kReusable, std::memory_order_release);
}

// Nobody waits for anybody: a thread that finds the newest window used up prepares one of its own, takes the
// first chunk, and offers the rest to all. When two do so at once, the rest of the lower window stays unused,
// so that a thread's chunks stand in the file in the order in which it filled them.
bool ChunkSupply::take_new(std::size_t& index) {
  index = next_chunk_.load(std::memory_order_acquire);
  while (index % window_chunks_ != 0) {
    if (next_chunk_.compare_exchange_weak(index, index + 1, std::memory_order_acquire)) return true;
  }
  return take_from_new_window(index);
}

bool ChunkSupply::take_from_new_window(std::size_t& index) {
  // A full disk must not cost a system call for each dropped event.
  const std::uint64_t failed = failed_windows_.load(std::memory_order_relaxed);
  if (failed % kWindowRetryInterval != 0) {
    failed_windows_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  const std::size_t window = next_window_.fetch_add(1, std::memory_order_relaxed);
  const std::size_t window_bytes = std::size_t{window_chunks_} * chunk_bytes_;
  if (file_.prepare(header_bytes_ + window * window_bytes, window_bytes) != 0) {
    std::size_t after = window + 1;
    next_window_.compare_exchange_strong(after, window, std::memory_order_relaxed);
    failed_windows_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  failed_windows_.store(0, std::memory_order_relaxed);
  index = window * window_chunks_;
  raise_to(present_chunks_, index + window_chunks_);
  raise_to(next_chunk_, index + 1);
  return true;
}

// Chunks are given out around the ring, so the next one that is free is the oldest but for those that a slow
// thread still fills.
bool ChunkSupply::take_oldest(std::size_t& index) {
  const std::size_t present = present_chunks_.load(std::memory_order_relaxed);
  for (std::size_t attempt = 0; attempt < present; ++attempt) {
    index = oldest_.fetch_add(1, std::memory_order_relaxed) % present;
    unsigned char expected = kReusable;
    if (!chunk_states_[index].compare_exchange_strong(expected, kInUse, std::memory_order_acquire)) continue;
    __atomic_fetch_add(&live()->overwritten_chunks, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

// The check goes first: whoever looks in the meantime, or after a kill, sees a chunk that nobody has claimed.
void ChunkSupply::wipe(char* chunk) const {
  auto* header = reinterpret_cast<lockstep_chunk_header*>(chunk);
  __atomic_store_n(&header->check, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  ::memset(chunk + sizeof *header, 0, chunk_bytes_ - sizeof *header);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void ChunkSupply::write_chunk_header(char* chunk, std::uint64_t sequence, std::uint32_t kind,
                                     std::uint32_t thread) {
  auto* header = reinterpret_cast<lockstep_chunk_header*>(chunk);
  header->magic = LOCKSTEP_CHUNK_MAGIC;
  header->sequence = sequence;
  header->claimed_ns = monotonic_now_ns();
  header->kind = kind;
  header->thread = thread;
  const std::uint64_t check = lockstep_words_check(header, offsetof(lockstep_chunk_header, check) / 8, 0);
  __atomic_store_n(&header->check, check, __ATOMIC_RELEASE);
}

}  // namespace lockstep::recorder
