#include "readers/open_input.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "readers/byte_stream.h"
#include "readers/stream_input.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kLargestCopied = std::size_t{16} << 20;

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

Input map(int fd, std::size_t size) {
  void* place = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (place == MAP_FAILED) return {.bytes = {}, .limit = reason("cannot be mapped")};
  ::madvise(place, size, MADV_SEQUENTIAL);
  return {.bytes = Bytes::from_mmap(static_cast<char*>(place), size), .limit = {}, .is_as_stored = true};
}

struct OpenFile {
  explicit OpenFile(const std::filesystem::path& path)
      : descriptor(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) {
      limit = reason("cannot be opened");
      return;
    }
    is_file = S_ISREG(status.st_mode) && path != "-";
    size = static_cast<std::size_t>(status.st_size);
  }

  FileDescriptor descriptor;
  std::string limit;
  bool is_file = false;
  std::size_t size = 0;
};

Input as_stored(const OpenFile& file, std::size_t largest_copied) {
  if (file.size > largest_copied) return map(file.descriptor.get(), file.size);
  DescriptorStream stream(file.descriptor.get());
  Input input = read_whole(stream, file.size);
  input.is_as_stored = true;
  return input;
}

}  // namespace

Input open_input(const std::filesystem::path& path, const StreamOptions& options) {
  const OpenFile file(path);
  if (!file.limit.empty()) return {.bytes = {}, .limit = file.limit};
  if (file.is_file) {
    Input stored = as_stored(file, kLargestCopied);
    if (!is_compressed(stored.bytes.view())) return stored;
    ::lseek(file.descriptor.get(), 0, SEEK_SET);
  }
  DescriptorStream stream(file.descriptor.get());
  if (!is_compressed(stream.start())) return read_stream(stream, path, options);
  Decompressed content(stream, stream.start());
  return read_stream(content, path, options);
}

Input map_input(const std::filesystem::path& path) {
  const OpenFile file(path);
  if (!file.limit.empty()) return {.bytes = {}, .limit = file.limit};
  return as_stored(file, 0);
}

}  // namespace lockstep::readers
