#include "readers/stacks/python_frame.h"

#include <algorithm>

#include "base/lines.h"
#include "readers/take_number.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kFile = "File \"";
constexpr std::string_view kLine = "\", line ";

}  // namespace

std::optional<model::Frame> parse_python_frame(std::string_view text) {
  if (!text.starts_with(kFile)) return std::nullopt;
  const std::size_t line_at = text.rfind(kLine);
  if (line_at == std::string_view::npos || line_at < kFile.size()) return std::nullopt;
  model::Frame frame;
  frame.file = text.substr(kFile.size(), line_at - kFile.size());
  std::string_view rest = text.substr(line_at + kLine.size());
  if (rest.starts_with("???")) {  // faulthandler, when the interpreter does not know
    rest.remove_prefix(3);
  } else if (const auto number = take_number<int>(rest)) {
    frame.line = *number;
  } else {
    return std::nullopt;
  }
  if (rest.starts_with(',')) rest.remove_prefix(1);
  if (!rest.starts_with(" in ")) return std::nullopt;
  frame.function = rest.substr(4);
  return frame;
}

model::Stack last_traceback(std::string_view text) {
  constexpr std::string_view kHead = "Traceback (most recent call last):";
  const std::size_t head = text.rfind(kHead);
  if (head != std::string_view::npos) text = text.substr(head + kHead.size());
  model::Stack stack;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::size_t begin = line->find_first_not_of(' ');
    if (begin == std::string_view::npos) continue;
    if (auto frame = parse_python_frame(line->substr(begin))) stack.push_back(std::move(*frame));
  }
  std::ranges::reverse(stack);
  return stack;
}

}  // namespace lockstep::readers
