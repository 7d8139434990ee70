// Files read through memory mappings.
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

// A file in memory, as long as this lives; also when it has been removed since.
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

// For reading a mapped file once, from one end to the other, with little of it in memory: brings the pages of
// a part into memory by one call instead of one fault after another.
void fetch_pages(std::string_view part);

// Lets go of the pages that lie wholly in a part of a read-only mapping of a file; they come back when
// touched. Memory of another kind would lose its content.
void forget_pages(std::string_view part);

}  // namespace lockstep::base
