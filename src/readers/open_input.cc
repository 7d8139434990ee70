#include "readers/open_input.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "readers/decompress.h"
#include "readers/growing_buffer.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kLargestCopied = std::size_t{16} << 20;
constexpr std::size_t kMostFromPipe = std::size_t{2} << 30;

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string reason(const char* what) {
  return fmt::format("{}: {}", what, std::generic_category().message(errno));
}

Input read_to_end(int fd, std::size_t expected) {
  GrowingBuffer buffer(expected + 1);
  std::string limit;
  while (limit.empty()) {
    const std::span<char> room = buffer.room();
    const ssize_t count = ::read(fd, room.data(), room.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) limit = reason("cannot be read to its end");
    if (count <= 0) break;
    buffer.filled(static_cast<std::size_t>(count));
    if (buffer.size() > kMostFromPipe) limit = "more than 2 GB through a pipe; the rest is not read";
  }
  return {.bytes = buffer.release(), .limit = std::move(limit), .is_as_stored = false};
}

Input map(int fd, std::size_t size) {
  void* place = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (place == MAP_FAILED) return {.bytes = {}, .limit = reason("cannot be mapped"), .is_as_stored = false};
  ::madvise(place, size, MADV_SEQUENTIAL);
  return {.bytes = Bytes::from_mmap(static_cast<char*>(place), size), .limit = {}, .is_as_stored = true};
}

Input open_as_stored(const std::filesystem::path& path, std::size_t largest_copied) {
  const FileDescriptor file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    return {.bytes = {}, .limit = reason("cannot be opened"), .is_as_stored = false};
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  const bool is_file = S_ISREG(status.st_mode) && path != "-";
  if (is_file && size > largest_copied) return map(file.get(), size);
  Input input = read_to_end(file.get(), S_ISREG(status.st_mode) ? size : 0);
  input.is_as_stored = is_file;
  return input;
}

}  // namespace

Input open_input(const std::filesystem::path& path) {
  Input stored = open_as_stored(path, kLargestCopied);
  if (!is_compressed(stored.bytes.view())) return stored;
  Input content = decompress(stored.bytes.view());
  if (!stored.limit.empty()) content.limit = std::move(stored.limit);
  return content;
}

Input map_input(const std::filesystem::path& path) {
  return open_as_stored(path, 0);
}

}  // namespace lockstep::readers
