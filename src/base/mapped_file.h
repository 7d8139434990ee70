// A file in memory, as long as this lives; also when it has been removed since.
#pragma once

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep::base {

class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) {
      error_ = errno;
    } else if (S_ISREG(status.st_mode) && status.st_size > 0) {
      map(file, static_cast<std::size_t>(status.st_size));
    }
    if (file >= 0) ::close(file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (is_open()) ::munmap(data_, bytes_);
  }
  bool is_open() const { return data_ != MAP_FAILED; }  // and not empty
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::string_view text() const {
    return is_open() ? std::string_view(static_cast<const char*>(data_), bytes_) : std::string_view();
  }
  int error() const { return error_; }  // 0: none, but the file may be empty

 private:
  void map(int file, std::size_t bytes) {
    data_ = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (is_open()) {
      bytes_ = bytes;
    } else {
      error_ = errno;
    }
  }

  void* data_ = MAP_FAILED;
  std::size_t bytes_ = 0;
  int error_ = 0;
};

}  // namespace lockstep::base
