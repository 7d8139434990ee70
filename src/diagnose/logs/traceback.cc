#include "diagnose/logs/traceback.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "model/line_origin.h"

namespace lockstep::logs {
namespace {

// Of many logs each needs to show less.
constexpr std::size_t kMaxTracebackBytes = std::size_t{256} << 10;
constexpr std::size_t kMinTracebackBytes = std::size_t{16} << 10;
constexpr std::size_t kMaxTracebackBytesOfAll = std::size_t{16} << 20;
constexpr std::size_t kMaxFrames = 64;
constexpr std::size_t kMaxOpen = 4096;
constexpr std::size_t kMaxExceptions = 4096;
constexpr std::size_t kLongestPrefix = 80;

constexpr std::string_view kFile = "File \"";

std::size_t indentation_of(std::string_view text) {
  return std::min(text.find_first_not_of(" \t"), text.size());
}

std::string_view without_end_blanks(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// 'File "train.py", line 18, in main'
std::optional<Frame> frame_from(std::string_view text) {
  if (!text.starts_with(kFile)) return std::nullopt;
  text.remove_prefix(kFile.size());
  constexpr std::string_view kLine = "\", line ";
  const std::size_t path_end = text.find(kLine);
  if (path_end == std::string_view::npos) return std::nullopt;
  Frame frame;
  frame.path = text.substr(0, path_end);
  text.remove_prefix(path_end + kLine.size());
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return std::nullopt;
  frame.line = text.substr(0, digits);
  constexpr std::string_view kIn = ", in ";
  text.remove_prefix(digits);
  if (text.starts_with(kIn)) frame.function = without_end_blanks(text.substr(kIn.size()));
  return frame;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

struct NamedException {
  std::string_view kind;
  std::string_view message;
};

// "ValueError: bad sample 17", "MemoryError", "trainer.errors.StepLost: 4"
std::optional<NamedException> exception_from(std::string_view text) {
  text = without_end_blanks(text);
  const auto name_end = std::ranges::find_if_not(text, is_name_character) - text.begin();
  const std::string_view kind = text.substr(0, static_cast<std::size_t>(name_end));
  const std::string_view name = kind.substr(kind.rfind('.') + 1);
  if (name.empty() || std::isupper(static_cast<unsigned char>(name.front())) == 0) return std::nullopt;
  text.remove_prefix(kind.size());
  if (text.empty()) return NamedException{kind, {}};
  if (!text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  text.remove_prefix(indentation_of(text));
  return NamedException{kind, text};
}

// The tracebacks of one log that have begun and not yet named their exception.
class Reader {
 public:
  Reader(std::size_t log, std::vector<RaisedException>& found) : log_(log), found_(found) {}

  void read(std::string_view raw, LineSpan span) {
    if (open_.empty() && raw.find(kFile) == std::string_view::npos) return;
    const std::string line = without_terminal_codes(raw);
    const model::OwnedLine owned = model::split_origin(line);
    const std::size_t file = owned.text.find(kFile);
    if (file <= kLongestPrefix) {
      if (auto frame = frame_from(owned.text.substr(file))) {
        const std::string_view prefix = without_end_blanks(owned.text.substr(0, file));
        return add({owned.origin, std::string(prefix)}, *std::move(frame));
      }
    }
    const auto open = std::ranges::find_if(open_, [&](const auto& one) {
      return one.first.first == owned.origin && owned.text.starts_with(one.first.second);
    });
    if (open != open_.end()) go_on(open, owned.text.substr(open->first.second.size()), span);
  }

 private:
  using Speaker = std::pair<model::LineOrigin, std::string>;  // and what else stands before its lines
  using Open = std::map<Speaker, std::vector<Frame>>;

  void add(const Speaker& speaker, Frame frame) {
    if (open_.size() >= kMaxOpen) open_.clear();
    std::vector<Frame>& frames = open_[speaker];
    if (frames.size() >= kMaxFrames) frames.erase(frames.begin());
    frames.push_back(std::move(frame));
  }

  // Source lines are indented; the first line that is not names the exception or belongs to something else.
  void go_on(Open::iterator open, std::string_view text, LineSpan span) {
    const bool has_prefix = !open->first.second.empty();
    const std::size_t indentation = indentation_of(text);
    if (indentation == text.size()) return;
    if (indentation > (has_prefix ? 1U : 0U)) {
      Frame& last = open->second.back();
      if (last.source.empty()) last.source = text.substr(indentation);
      return;
    }
    const auto named = exception_from(text.substr(indentation));
    if (named && found_.size() < kMaxExceptions) {
      found_.push_back(
          {log_, span, std::string(named->kind), std::string(named->message), std::move(open->second)});
    }
    open_.erase(open);
  }

  std::size_t log_;
  std::vector<RaisedException>& found_;
  Open open_;
};

}  // namespace

std::vector<RaisedException> raised_exceptions(std::span<const LogText> logs) {
  std::vector<RaisedException> found;
  const std::size_t window = std::clamp(kMaxTracebackBytesOfAll / std::max<std::size_t>(1, logs.size()),
                                        kMinTracebackBytes, kMaxTracebackBytes);
  for (std::size_t log = 0; log < logs.size(); ++log) {
    const std::string_view bytes = logs[log].bytes;
    Reader reader(log, found);
    for_each_line(bytes, bytes.size() - std::min(bytes.size(), window), bytes.size(),
                  [&](std::string_view line, LineSpan span) { reader.read(line, span); });
    let_go(logs[log]);
  }
  return found;
}

}  // namespace lockstep::logs
