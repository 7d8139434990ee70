#include "base/file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/guarded_mapping.h"

namespace lockstep::base {

FileDescriptor::~FileDescriptor() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd until_writable{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&until_writable, 1, -1);
      continue;
    }
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Error error_from_errno(std::string what, const std::filesystem::path& where, std::string hint) {
  return Error{std::move(what), where.string(), std::strerror(errno), std::move(hint)};
}

namespace {

bool is_from_the_shell(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return folder == "/dev/fd" || folder == "/proc/self/fd" || path == "/dev/stdin";
}

}  // namespace

Result<FileDescriptor> open_file(const std::filesystem::path& path) {
  const bool may_be_pipe = is_from_the_shell(path);
  const int wait = may_be_pipe ? 0 : O_NONBLOCK;
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | wait));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return error_from_errno("cannot open", path);
  if (S_ISDIR(status.st_mode)) return Error{"cannot read", path.string(), std::strerror(EISDIR), ""};
  if (!S_ISREG(status.st_mode) && !may_be_pipe)
    return Error{"cannot read", path.string(), "not a regular file", ""};
  return file;
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit_bytes) {
  const FileDescriptor file = path == "-" ? FileDescriptor(STDIN_FILENO) : TRY(open_file(path));

  std::string content;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return error_from_errno("cannot read", path);
    if (count == 0) return content;
    content.append(chunk, static_cast<std::size_t>(count));
    if (content.size() > limit_bytes) {
      return Error{"cannot read", path.string(), fmt::format("larger than {} bytes", limit_bytes), ""};
    }
  }
}

Result<void> write_file(const std::filesystem::path& path, std::string_view content) {
  if (path == "-") {
    if (!write_all(STDOUT_FILENO, content)) return error_from_errno("cannot write", "standard output");
    return {};
  }
  std::filesystem::path beside = path;
  beside += fmt::format(".{}.partial", ::getpid());
  const FileDescriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) return error_from_errno("cannot write", path, "choose another place with -o FILE");
  const bool written = write_all(file.get(), content) && ::fsync(file.get()) == 0;
  if (!written || ::rename(beside.c_str(), path.c_str()) != 0) {
    Error error = error_from_errno("cannot write", path, "choose another place with -o FILE");
    ::unlink(beside.c_str());
    return error;
  }
  return {};
}

namespace {

#ifndef MADV_POPULATE_READ
constexpr int MADV_POPULATE_READ = 22;  // Linux 5.14; older kernels refuse it and pages come one by one
#endif

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const Result<FileDescriptor> file = open_file(path);
  struct stat status {};
  if (!file.ok()) {
    fault_ = file.error().why;
  } else if (::fstat(file.value().get(), &status) != 0) {
    fault_ = std::strerror(errno);
  } else if (status.st_size > 0) {
    map(file.value().get(), static_cast<std::size_t>(status.st_size));
  }
}

MappedFile::~MappedFile() {
  if (is_open()) unmap_guarded(data_, bytes_);
}

void MappedFile::map(int file, std::size_t bytes) {
  data_ = map_guarded(file, 0, bytes);
  if (data_ == nullptr) {
    fault_ = std::strerror(errno);
  } else {
    bytes_ = bytes;
  }
}

void fetch_pages(std::string_view part) {
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data()) / page_size() * page_size();
  const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size());
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
}

void forget_pages(std::string_view part) {
  const auto begin =
      (reinterpret_cast<std::uintptr_t>(part.data()) + page_size() - 1) / page_size() * page_size();
  const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size()) / page_size() * page_size();
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace lockstep::base
