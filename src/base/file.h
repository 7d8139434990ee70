// Files as the tool needs them: whole small ones, large ones through memory mappings, and writes that never
// leave half a file. Streams are read by their readers, in pieces of fixed size.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace lockstep::base {

// An open file, closed at the end; standard input, output and error stay open.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

// For reading. The one way to open what should be a file and that others may have put there: a pipe that
// nobody writes to would block for ever, a device may never end, so both are refused, as are folders; links
// are followed to what they name. A pipe from the shell, /dev/fd/N, is read: it has its writer already.
Result<FileDescriptor> open_file(const std::filesystem::path& path);

// The whole file, for files a person wrote. A larger one than `limit_bytes` is an error, not a crash.
// "-" is standard input.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit_bytes);

// Writes beside the target, then renames: readers see the old file or the new one. "-" is standard output.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

// Everything, through interruptions and descriptors that another process made non-blocking. False: errno says
// why.
bool write_all(int fd, std::string_view content);

// "cannot open run/x: no such file" from the errno of the call that just failed.
Error error_from_errno(std::string what, const std::filesystem::path& where, std::string hint = "");

// A file in memory, as long as this lives; also when it has been removed since. What somebody cuts off
// meanwhile reads as zeros.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  bool is_open() const { return data_ != nullptr; }  // and not empty
  const void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::string_view text() const {
    return is_open() ? std::string_view(static_cast<const char*>(data_), bytes_) : std::string_view();
  }
  const std::string& fault() const { return fault_; }  // empty: none, but the file may be empty

 private:
  void map(int file, std::size_t bytes);

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::string fault_;
};

// For reading a mapped file once, from one end to the other, with little of it in memory: brings the pages of
// a part into memory by one call instead of one fault after another.
void fetch_pages(std::string_view part);

// Lets go of the pages that lie wholly in a part of a read-only mapping of a file; they come back when
// touched. Memory of another kind would lose its content.
void forget_pages(std::string_view part);

}  // namespace lockstep::base
