#include "readers/pytorch/torchrun_failure.h"

#include "base/lines.h"
#include "readers/take_number.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kFailed = "failed (exitcode: ";
constexpr std::string_view kTracebackHead = "Traceback (most recent call last):";
constexpr std::size_t kLongestTraceback = 1 << 20;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// The number behind `key`: "(pid: 10621)".
template <typename Number>
std::optional<Number> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  return take_number<Number>(text);
}

}  // namespace

std::optional<TorchrunFailure> parse_failed_line(std::string_view line) {
  const std::size_t at = line.find(kFailed);
  if (at == std::string_view::npos) return std::nullopt;
  line = line.substr(at);
  TorchrunFailure failure;
  failure.exit_code = number_behind<std::int64_t>(line, kFailed);
  failure.local_rank = number_behind<int>(line, "local_rank: ");
  failure.pid = number_behind<std::int64_t>(line, "(pid: ");
  const bool is_whole = failure.exit_code && failure.local_rank && *failure.local_rank >= 0 && failure.pid;
  return is_whole ? std::optional(std::move(failure)) : std::nullopt;
}

void TorchrunItem::take(std::string_view line) {
  if (is_in_traceback_) {
    if (failure_.traceback.size() + line.size() > kLongestTraceback) return;
    failure_.traceback += '\n';
    failure_.traceback += line.substr(line.starts_with("  ") ? 2 : 0);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !line.starts_with("  ")) return;
  take_field(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
}

void TorchrunItem::take_field(std::string_view key, std::string_view value) {
  const bool is_whole = value.find(')') != std::string_view::npos;  // not cut inside a number
  if (key == "host") {
    failure_.host = value;
  } else if (key == "rank" && is_whole) {
    failure_.local_rank = number_behind<int>(value, "local_rank: ");
    failure_.rank = take_number<int>(value);
  } else if (key == "exitcode" && is_whole) {
    failure_.pid = number_behind<std::int64_t>(value, "(pid: ");
    failure_.exit_code = take_number<std::int64_t>(value);
  } else if (key == "error_file") {
    if (value != "<N/A>") failure_.error_file = value;
  } else if (key == "traceback") {
    failure_.traceback = value.substr(0, kLongestTraceback);
    is_in_traceback_ = true;
  }
}

std::string message_of(std::string_view traceback) {
  if (traceback.starts_with("To enable traceback see")) return {};
  const std::size_t head = traceback.rfind(kTracebackHead);
  if (head == std::string_view::npos) return std::string(trimmed(traceback));
  base::Lines lines(traceback.substr(head + kTracebackHead.size()));
  std::string message;
  while (const auto line = lines.next()) {
    const bool is_frame = line->empty() || line->starts_with(' ');
    if (message.empty() && is_frame) continue;
    if (!message.empty()) message += '\n';
    message += *line;
  }
  message.erase(message.find_last_not_of("\n ") + 1);
  return message;
}

}  // namespace lockstep::readers
