// A file that grows under a mapping that never moves. Address space for the largest size is set aside at the
// start, and windows of the file are mapped into it one after the other, so that a place in the file is an
// address for as long as the process lives.
//
// Space on disk is allocated before a window is mapped: a full disk is a failed grow(), never a SIGBUS in the
// training job. Where the file system cannot allocate ahead, zeros are written instead.
#pragma once

#include <atomic>
#include <cstddef>

namespace lockstep::recorder {

class GrowingFile {
 public:
  // Creates the file, which must not exist. Returns 0 or an errno.
  int create(const char* path, std::size_t max_bytes);
  void unmap_and_close();

  // Makes [0, bytes) usable. Returns 0 or an errno. From any thread without a lock: two that grow at once
  // allocate and map the same bytes of the file at the same addresses, so neither has to wait for the other.
  int grow_to(std::size_t bytes);

  char* data() const { return data_; }
  std::size_t ready_bytes() const { return ready_bytes_.load(std::memory_order_acquire); }
  std::size_t max_bytes() const { return max_bytes_; }

 private:
  int fd_ = -1;
  char* data_ = nullptr;
  std::size_t max_bytes_ = 0;
  std::atomic<std::size_t> ready_bytes_{0};
};

}  // namespace lockstep::recorder
