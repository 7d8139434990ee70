// A file of a recording's payload in memory, as long as this lives.
#pragma once

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::record {

class MappedPayload {
 public:
  explicit MappedPayload(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      data_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    error_ = errno;
    if (file >= 0) ::close(file);
  }
  MappedPayload(const MappedPayload&) = delete;
  MappedPayload& operator=(const MappedPayload&) = delete;
  ~MappedPayload() {
    if (is_open()) ::munmap(data_, bytes_);
  }
  bool is_open() const { return data_ != MAP_FAILED; }
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  int error() const { return error_; }

 private:
  void* data_ = MAP_FAILED;
  std::size_t bytes_ = 0;
  int error_ = 0;
};

}  // namespace lockstep::record
