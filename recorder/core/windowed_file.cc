#include "windowed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bus_guard.h"

namespace lockstep::recorder {
namespace {

constexpr std::size_t kSmallestReservation = std::size_t{1} << 20;

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

// Jobs under a limit on address space get a smaller reservation, and so a smaller recording, rather than
// none.
char* reserve_address_space(std::size_t& bytes) {
  for (; bytes >= kSmallestReservation; bytes /= 2) {
    void* place = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) return static_cast<char*>(place);
  }
  return nullptr;
}

// Growing past RLIMIT_FSIZE would not only fail: it would send SIGXFSZ to the training job.
std::size_t within_file_size_limit(std::size_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return bytes;
  return bytes < limit.rlim_cur ? bytes : static_cast<std::size_t>(limit.rlim_cur);
}

// Zeros that are written bring the pages into memory many at a time. Letting each page fault in by itself
// costs two to three times as much for an event.
int write_zeros(int fd, std::size_t offset, std::size_t bytes) {
  static char zeros[256 * 1024];
  while (bytes > 0) {
    const std::size_t piece = bytes < sizeof zeros ? bytes : sizeof zeros;
    const ssize_t written = ::pwrite(fd, zeros, piece, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    offset += static_cast<std::size_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
  return 0;
}

// Some file systems accept a write and find out later that the disk is full; those that can are asked to set
// the space aside first.
int allocate_on_disk(int fd, std::size_t offset, std::size_t bytes) {
  int outcome = 0;
  do {
    outcome = ::fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (outcome != 0 && errno == EINTR);
  const bool is_unsupported = outcome != 0 && (errno == EOPNOTSUPP || errno == ENOSYS);
  if (outcome != 0 && !is_unsupported) return errno;
  return write_zeros(fd, offset, bytes);
}

}  // namespace

int WindowedFile::create(const char* path, std::size_t max_bytes) {
  fd_ = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) return errno;
  max_bytes_ = within_file_size_limit(max_bytes);
  data_ = reserve_address_space(max_bytes_);
  if (data_ == nullptr) return ENOMEM;
  ::madvise(data_, max_bytes_, MADV_DONTFORK);
  guard_against_truncation(data_, max_bytes_);
  return 0;
}

int WindowedFile::prepare(std::size_t offset, std::size_t bytes) {
  if (offset + bytes > max_bytes_) return EFBIG;
  const int error = allocate_on_disk(fd_, offset, bytes);
  if (error != 0) return error;
  void* place = ::mmap(data_ + offset, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd_,
                       static_cast<off_t>(offset));
  if (place == MAP_FAILED) return errno;
  ::madvise(place, bytes, MADV_DONTFORK);  // children neither write into it nor pay for its pages
  // Page faults now rather than under an event; a kernel that cannot do it takes them later.
  ::madvise(place, bytes, MADV_POPULATE_WRITE);
  return 0;
}

void WindowedFile::unmap_and_close() {
  if (data_ != nullptr) {
    end_guard(data_);
    ::munmap(data_, max_bytes_);
  }
  if (fd_ >= 0) ::close(fd_);
  data_ = nullptr;
  fd_ = -1;
}

}  // namespace lockstep::recorder
