// A file that grows by windows under a mapping that never moves. Address space for the largest size is set
// aside at the start, so that a place in the file is an address for as long as the process lives.
//
// Space on disk is allocated before a window is mapped: a full disk is a failed prepare(), never a SIGBUS in
// the training job. One that is cut short by somebody else is none either (bus_guard.h).
#pragma once

#include <cstddef>

namespace lockstep::recorder {

class WindowedFile {
 public:
  // Creates the file, which must not exist. Returns 0 or an errno.
  int create(const char* path, std::size_t max_bytes);
  void unmap_and_close();

  // Makes [offset, offset + bytes) usable and zero. Returns 0 or an errno. From any thread; each window once.
  int prepare(std::size_t offset, std::size_t bytes);

  char* data() const { return data_; }
  bool covers(const void* address) const {
    return data_ != nullptr && address >= data_ && address < data_ + max_bytes_;
  }
  std::size_t max_bytes() const { return max_bytes_; }

 private:
  int fd_ = -1;
  char* data_ = nullptr;
  std::size_t max_bytes_ = 0;
};

}  // namespace lockstep::recorder
