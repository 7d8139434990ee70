#include "service/engine/job_output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kLongestEntry = 16 << 10;
constexpr std::size_t kLastLines = 20;
constexpr std::size_t kLongestLastLine = 500;

std::size_t index_of(process::Stream stream) {
  return stream == process::Stream::kOut ? 0 : 1;
}

char letter_of(process::Stream stream, bool goes_on) {
  if (stream == process::Stream::kOut) return goes_on ? 'O' : 'o';
  return goes_on ? 'E' : 'e';
}

std::optional<OutputEntry> entry_in(std::string_view line) {
  const std::string_view time = base::word_of(line);
  if (time.size() + 1 >= line.size()) return std::nullopt;
  const std::string_view rest = line.substr(time.size() + 1);
  const std::string_view rank = base::word_of(rest);
  if (rank.size() + 2 >= rest.size()) return std::nullopt;
  const auto at_ms = base::number_in<std::int64_t>(time);
  const auto number = base::number_in<int>(rank);
  const char stream = rest[rank.size() + 1];
  const bool is_sound = at_ms && number && std::string_view("oeOE").find(stream) != std::string_view::npos &&
                        rest.size() > rank.size() + 2 && rest[rank.size() + 2] == ' ';
  if (!is_sound) return std::nullopt;
  return OutputEntry{*at_ms, *number, stream, rest.substr(rank.size() + 3), 0};
}

}  // namespace

Result<OutputWriter> OutputWriter::open(const std::filesystem::path& path, int rank) {
  process::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.is_open()) return base::error_from_errno("cannot keep the job's output", path);
  return OutputWriter(std::move(file), rank);
}

void OutputWriter::add_entry(std::string& entries, process::Stream stream, std::string_view text,
                             bool goes_on, std::int64_t now_ms) {
  fmt::format_to(std::back_inserter(entries), "{} {} {} ", now_ms, rank_, letter_of(stream, goes_on));
  entries += text;
  entries += '\n';
  if (last_lines_.size() == kLastLines) last_lines_.erase(last_lines_.begin());
  last_lines_.emplace_back(text.substr(0, kLongestLastLine));
}

// A disk that is full costs lines, not the rank.
void OutputWriter::append(const std::string& entries) {
  if (!base::write_all(file_.get(), entries)) fault_ = std::strerror(errno);
}

void OutputWriter::keep(process::Stream stream, std::string_view bytes, std::int64_t now_ms) {
  std::string& pending = pending_[index_of(stream)];
  std::string entries;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t room = kLongestEntry - pending.size();
    const std::size_t take = std::min({end, bytes.size(), room});
    pending += bytes.substr(0, take);
    bytes.remove_prefix(take);
    const bool ends_here = !bytes.empty() && bytes.front() == '\n';
    if (ends_here) bytes.remove_prefix(1);
    if (!ends_here && pending.size() < kLongestEntry) break;
    add_entry(entries, stream, pending, !ends_here, now_ms);
    pending.clear();
  }
  if (!entries.empty()) append(entries);
}

void OutputWriter::finish(std::int64_t now_ms) {
  for (const process::Stream stream : {process::Stream::kOut, process::Stream::kErr}) {
    std::string& pending = pending_[index_of(stream)];
    if (pending.empty()) continue;
    std::string entries;
    add_entry(entries, stream, pending, false, now_ms);
    append(entries);
    pending.clear();
  }
}

std::optional<OutputEntry> first_entry(std::string_view bytes, std::int64_t position) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = bytes.find('\n', begin);
    if (end == std::string_view::npos) return std::nullopt;
    if (auto entry = entry_in(bytes.substr(begin, end - begin))) {
      entry->next = position + static_cast<std::int64_t>(end) + 1;
      return entry;
    }
    begin = end + 1;
  }
}

}  // namespace lockstep::service
