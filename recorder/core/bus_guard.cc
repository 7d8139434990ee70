#include "bus_guard.h"

#include <atomic>
#include <cstdint>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::recorder {
namespace {

// A multiple of every page size in use, as the header of a record file; windows are multiples of it too.
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
// Files of this process that are mapped at once: one rank's, its claims, and those of its earlier lives.
constexpr std::size_t kMostRanges = 64;

struct Range {
  // Children have nothing mapped there (MADV_DONTFORK) but may put mappings of their own in the gap.
  std::atomic<pid_t> owner{0};
  std::atomic<char*> begin{nullptr};
  std::atomic<std::size_t> bytes{0};  // 0: unused
};

Range ranges[kMostRanges];
std::atomic<bool> is_set{false};
struct sigaction before_us;
std::atomic<void (*)(const void*)> tell_of_loss{nullptr};

// Memory without a file, at the same address. Children get what they get of the mapping: nothing.
bool replace_block(char* begin, std::size_t bytes, char* address) {
  const std::size_t offset = static_cast<std::size_t>(address - begin) / kBlockBytes * kBlockBytes;
  const std::size_t length = bytes - offset < kBlockBytes ? bytes - offset : kBlockBytes;
  void* place = ::mmap(begin + offset, length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  ::madvise(place, length, MADV_DONTFORK);
  return true;
}

bool mend(char* address) {
  const pid_t self = ::getpid();
  for (Range& range : ranges) {
    if (range.owner.load(std::memory_order_relaxed) != self) continue;
    const std::size_t bytes = range.bytes.load(std::memory_order_acquire);
    char* const begin = range.begin.load(std::memory_order_relaxed);
    if (bytes == 0 || address < begin || address >= begin + bytes) continue;
    if (!replace_block(begin, bytes, address)) return false;
    if (auto* const tell = tell_of_loss.load(std::memory_order_relaxed)) tell(address);
    return true;
  }
  return false;
}

// What faulted faults again, by itself; what was sent is sent again, as it came.
void leave_to_the_program(siginfo_t* info) {
  ::sigaction(SIGBUS, &before_us, nullptr);
  const bool is_fault = info->si_code > 0 && info->si_code != BUS_MCEERR_AO;
  if (!is_fault) ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), SIGBUS, info);
}

void on_bus_error(int, siginfo_t* info, void*) {
  const int errno_before = errno;
  if (info->si_code != BUS_ADRERR || !mend(static_cast<char*>(info->si_addr))) leave_to_the_program(info);
  errno = errno_before;
}

void set_handler() {
  if (is_set.exchange(true)) return;  // also by the parent of this process
  if (::sigaction(SIGBUS, nullptr, &before_us) != 0) return;
  struct sigaction ours = before_us;
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ::sigaction(SIGBUS, &ours, nullptr);
}

}  // namespace

void guard_against_truncation(char* begin, std::size_t bytes) {
  for (Range& range : ranges) {
    char* none = nullptr;
    if (!range.begin.compare_exchange_strong(none, begin, std::memory_order_relaxed)) continue;
    range.owner.store(::getpid(), std::memory_order_relaxed);
    range.bytes.store(bytes, std::memory_order_release);
    return set_handler();
  }
}

void end_guard(const char* begin) {
  for (Range& range : ranges) {
    if (range.begin.load(std::memory_order_relaxed) != begin) continue;
    range.bytes.store(0, std::memory_order_release);
    range.begin.store(nullptr, std::memory_order_release);
    return;
  }
}

void tell_of_lost_pages(void (*tell)(const void* address)) {
  tell_of_loss.store(tell, std::memory_order_relaxed);
}

}  // namespace lockstep::recorder
