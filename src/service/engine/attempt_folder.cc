#include "service/engine/attempt_folder.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::service {

namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Result<bool> is_there(const std::filesystem::path& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return base::error_from_errno("cannot check whether it exists", path);
}

namespace {

// Something that stands there and was not written by us: it will not become readable.
bool is_none_of_ours(const std::filesystem::path& path, std::size_t limit_bytes) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return false;
  if (S_ISREG(found.st_mode)) return static_cast<std::size_t>(found.st_size) > limit_bytes;
  return !S_ISLNK(found.st_mode);
}

}  // namespace

Result<std::optional<std::string>> read_if_there(const std::filesystem::path& path, std::size_t limit_bytes) {
  auto text = base::read_file(path, limit_bytes);
  if (text.ok()) return std::optional(std::move(text).value());
  if (is_none_of_ours(path, limit_bytes) || !TRY(is_there(path))) return std::optional<std::string>();
  return std::move(text).error();
}

// Locks of the open file, which children inherit; and which can be asked after without being taken.
Result<std::optional<process::Descriptor>> take_attempt(const AttemptFolder& folder) {
  process::Descriptor file(::open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  struct flock lock = whole_file();
  if (!file.is_open()) return base::error_from_errno("cannot open", folder.lock());
  if (::fcntl(file.get(), F_OFD_SETLK, &lock) == 0) return std::optional(std::move(file));
  if (errno == EAGAIN || errno == EACCES) return std::optional<process::Descriptor>();
  return base::error_from_errno("cannot lock", folder.lock());
}

Result<bool> is_taken(const AttemptFolder& folder) {
  const process::Descriptor file(::open(folder.lock().c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return false;
  struct flock lock = whole_file();
  if (!file.is_open() || ::fcntl(file.get(), F_OFD_GETLK, &lock) != 0)
    return base::error_from_errno("cannot check who holds the lock", folder.lock());
  return lock.l_type != F_UNLCK;
}

// A mark that cannot be written is taken back: nothing was begun.
Result<bool> mark_started(const AttemptFolder& folder) {
  const process::Descriptor mark(
      ::open(folder.started().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!mark.is_open() && errno == EEXIST) return false;
  if (mark.is_open() && base::write_all(mark.get(), std::to_string(::getpid()))) return true;
  Error error = base::error_from_errno("cannot write", folder.started());
  if (mark.is_open()) ::unlink(folder.started().c_str());
  return error;
}

Result<std::optional<std::int64_t>> process_that_started(const AttemptFolder& folder) {
  const auto text = TRY(read_if_there(folder.started(), 64));
  if (!text) return std::optional<std::int64_t>();
  return std::optional(base::number_in<std::int64_t>(*text).value_or(0));
}

namespace {

std::filesystem::path end_asked_in(const AttemptFolder& folder) {
  return folder.path / "end_asked";
}

}  // namespace

Result<void> note_end_asked(const AttemptFolder& folder) {
  return base::write_file(end_asked_in(folder), "");
}

bool is_end_asked(const AttemptFolder& folder) {
  std::error_code ignored;
  return std::filesystem::exists(end_asked_in(folder), ignored);
}

namespace {

constexpr std::size_t kMaxNews = std::size_t{4} << 20;

}  // namespace

void report_news(const AttemptFolder& folder, std::string_view kind, std::string_view detail) {
  const process::Descriptor file(
      ::open(folder.news().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  std::string line = fmt::format("{}\t{}", kind, detail);
  for (char& c : line) c = c == '\n' ? ' ' : c;
  if (file.is_open()) base::write_all(file.get(), line + "\n");
}

std::vector<News> news_after(const AttemptFolder& folder, std::size_t count) {
  std::vector<News> found;
  const auto text = base::read_file(folder.news(), kMaxNews);
  if (!text.ok()) return found;
  std::string_view rest = text.value();
  for (std::size_t number = 0; rest.find('\n') != std::string_view::npos; ++number) {
    const std::string_view line = base::word_of(rest, '\n');
    rest.remove_prefix(line.size() + 1);
    if (number < count) continue;
    const std::string_view kind = base::word_of(line, '\t');
    found.push_back({std::string(kind), std::string(line.substr(std::min(kind.size() + 1, line.size())))});
  }
  return found;
}

}  // namespace lockstep::service
