#include "service/engine/attempt_folder.h"

#include <fcntl.h>
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

// Locks of the open file, which children inherit; and which can be asked after without being taken.
std::optional<process::Descriptor> take_attempt(const AttemptFolder& folder) {
  process::Descriptor file(::open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  struct flock lock = whole_file();
  if (!file.is_open() || ::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) return std::nullopt;
  return file;
}

bool is_taken(const AttemptFolder& folder) {
  const process::Descriptor file(::open(folder.lock().c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock = whole_file();
  return file.is_open() && ::fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool mark_started(const AttemptFolder& folder) {
  const process::Descriptor mark(
      ::open(folder.started().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return mark.is_open() && base::write_all(mark.get(), std::to_string(::getpid()));
}

std::optional<std::int64_t> process_that_started(const AttemptFolder& folder) {
  const auto text = base::read_file(folder.started(), 64);
  if (!text.ok()) return std::nullopt;
  return base::number_in<std::int64_t>(text.value()).value_or(0);
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
