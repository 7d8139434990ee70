#include "record/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace lockstep::record {
namespace {

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(int fd) : fd_(fd) {}
  ~FileBytes() override { ::close(fd_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::uint64_t size() const override {
    struct stat status {};
    return ::fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  std::optional<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t got =
          ::pread(fd_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return std::nullopt;
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  int fd_;
};

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }

  std::optional<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t present = std::min<std::size_t>(into.size(), bytes_.size() - offset);
    std::memcpy(into.data(), bytes_.data() + offset, present);
    return present;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_byte_source(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return base::error_from_errno("cannot open", path);
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    Error error = base::error_from_errno("cannot read", path);
    ::close(fd);
    return error;
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(fd);
    return Error{"not a readable record file", path.string(), "not a regular file",
                 "give a *.lockstep file or a recording folder written by lockstep"};
  }
  return std::unique_ptr<ByteSource>(new FileBytes(fd));
}

std::unique_ptr<ByteSource> byte_source_over(std::string_view bytes) {
  return std::make_unique<MemoryBytes>(bytes);
}

}  // namespace lockstep::record
