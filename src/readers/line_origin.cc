#include "readers/line_origin.h"

#include <algorithm>
#include <cctype>

#include "base/text_fields.h"
#include "readers/take_number.h"

namespace lockstep::readers {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view final_digits(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  return text.substr(begin);
}

bool is_role(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

// "[rank3]: " and "[default3]:"
bool take_bracketed_name(OwnedLine& line, std::string_view inside, std::string_view after) {
  if (!after.starts_with(':')) return false;
  const std::string_view digits = final_digits(inside);
  const std::string_view word = inside.substr(0, inside.size() - digits.size());
  const std::optional<int> number = base::number_in<int>(digits);
  if (!number || !is_role(word)) return false;
  after.remove_prefix(1);
  if (word == "rank") {
    line.origin.rank = number;
    if (after.starts_with(' ')) after.remove_prefix(1);
  } else {
    line.origin.local_rank = number;
  }
  line.text = after;
  return true;
}

// "[1,3]<stderr>:" and "[3]<stdout>:"
bool take_stream_tag(OwnedLine& line, std::string_view inside, std::string_view after) {
  const bool is_tag = after.starts_with("<stdout>:") || after.starts_with("<stderr>:");
  if (!is_tag) return false;
  const std::optional<int> number = base::number_in<int>(inside.substr(inside.rfind(',') + 1));
  if (!number || *number < 0) return false;
  line.origin.rank = number;
  line.text = after.substr(std::string_view("<stdout>:").size());
  return true;
}

bool take_bracket(OwnedLine& line) {
  constexpr std::size_t kLongest = 64;
  const std::size_t end = line.text.substr(0, kLongest).find(']');
  if (end == std::string_view::npos) return false;
  const std::string_view inside = line.text.substr(1, end - 1);
  const std::string_view after = line.text.substr(end + 1);
  return take_bracketed_name(line, inside, after) || take_stream_tag(line, inside, after);
}

// "3: " and, padded to the width of the largest task, " 3: "
bool take_task(OwnedLine& line) {
  std::string_view rest = line.text;
  while (rest.starts_with(' ') && line.text.size() - rest.size() < 6) rest.remove_prefix(1);
  if (rest.empty() || !is_digit(rest.front())) return false;
  const std::optional<int> task = take_number<int>(rest);
  if (!task || !rest.starts_with(": ")) return false;
  line.origin.rank = task;
  line.text = rest.substr(2);
  return true;
}

}  // namespace

OwnedLine split_origin(std::string_view line) {
  constexpr int kMostPrefixes = 4;
  OwnedLine owned{.origin = {}, .text = line};
  for (int i = 0; i < kMostPrefixes; ++i) {
    const bool taken = owned.text.starts_with('[') ? take_bracket(owned) : i == 0 && take_task(owned);
    if (!taken) break;
  }
  return owned;
}

}  // namespace lockstep::readers
