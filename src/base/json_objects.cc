#include "base/json_objects.h"

#include <array>
#include <cstddef>

namespace lockstep::base {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// The index behind the string that begins at `text[begin]`, or npos when the text ends inside it. A plain
// loop: most strings are shorter than what a call of memchr costs.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data() + begin + 1; at < end; ++at) {
    if (*at == '"') return static_cast<std::size_t>(at + 1 - text.data());
    if (*at == '\\') ++at;
  }
  return std::string_view::npos;
}

constexpr std::array<bool, 256> structural_characters() {
  std::array<bool, 256> is_structural{};
  for (const char c : {'"', '{', '}', '[', ']'}) is_structural[static_cast<unsigned char>(c)] = true;
  return is_structural;
}

// The index behind the object or array that begins at `text[begin]`, or npos when the text ends inside it.
std::size_t end_of_nested(std::string_view text, std::size_t begin) {
  static constexpr std::array<bool, 256> kIsStructural = structural_characters();
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size();) {
    const char c = text[at];
    if (!kIsStructural[static_cast<unsigned char>(c)]) {
      ++at;
      continue;
    }
    if (c == '"') {
      at = end_of_string(text, at);
      if (at == std::string_view::npos) return at;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at + 1;
    ++at;
  }
  return std::string_view::npos;
}

std::string_view without_leading_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

}  // namespace

std::string_view array_member(std::string_view text, std::string_view key) {
  text = without_leading_space(text);
  if (!text.starts_with('{')) return {};
  std::size_t at = 1;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      at = end_of_nested(text, at);
    } else if (c == '"') {
      const std::size_t end = end_of_string(text, at);
      if (end == std::string_view::npos) return {};
      const std::string_view word = text.substr(at + 1, end - at - 2);
      const std::string_view after = without_leading_space(text.substr(end));
      if (word == key && after.starts_with(':')) {
        const std::string_view value = without_leading_space(after.substr(1));
        return value.starts_with('[') ? value : std::string_view{};
      }
      at = end;
    } else if (c == '}') {
      return {};
    } else {
      ++at;
    }
  }
  return {};
}

JsonObjects::JsonObjects(std::string_view array) : rest_(without_leading_space(array)) {
  rest_ = rest_.starts_with('[') ? rest_.substr(1) : std::string_view{};
}

JsonObjects JsonObjects::stream(std::string_view text) {
  JsonObjects objects;
  objects.rest_ = text;
  objects.is_stream_ = true;
  return objects;
}

std::optional<std::string_view> JsonObjects::next() {
  while (!rest_.empty()) {
    const char c = rest_.front();
    if (is_stream_ && c != '{') {
      const std::size_t begin = rest_.find('{');
      rest_ = begin == std::string_view::npos ? std::string_view{} : rest_.substr(begin);
    } else if (c == ']') {
      was_closed_ = true;
      rest_ = {};
    } else if (c == '{' || c == '[') {
      const std::size_t end = end_of_nested(rest_, 0);
      const std::string_view nested = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end);
      if (c == '{' && end != std::string_view::npos) return nested;
      if (c == '{') cut_object_ = nested;
    } else if (c == '"') {
      const std::size_t end = end_of_string(rest_, 0);
      rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end);
    } else {
      rest_.remove_prefix(1);
    }
  }
  return std::nullopt;
}

JsonMembers::JsonMembers(std::string_view object) : rest_(without_leading_space(object)) {
  rest_ = rest_.starts_with('{') ? rest_.substr(1) : std::string_view{};
}

std::optional<JsonMembers::Member> JsonMembers::next() {
  rest_ = without_leading_space(rest_);
  if (rest_.starts_with(',')) rest_ = without_leading_space(rest_.substr(1));
  was_closed_ = was_closed_ || rest_.starts_with('}');
  const std::size_t end_of_key = rest_.starts_with('"') ? end_of_string(rest_, 0) : std::string_view::npos;
  if (end_of_key == std::string_view::npos) {
    rest_ = {};
    return std::nullopt;
  }
  Member member{.key = rest_.substr(1, end_of_key - 2),
                .value = without_leading_space(rest_.substr(end_of_key))};
  if (!member.value.starts_with(':')) {
    rest_ = {};
    return std::nullopt;
  }
  member.value = without_leading_space(member.value.substr(1));
  std::size_t end = std::string_view::npos;
  if (member.value.starts_with('{') || member.value.starts_with('[')) {
    end = end_of_nested(member.value, 0);
  } else if (member.value.starts_with('"')) {
    end = end_of_string(member.value, 0);
  } else {
    end = member.value.find_first_of(",}");
  }
  member.is_whole = end != std::string_view::npos;
  rest_ = member.is_whole ? member.value.substr(end) : std::string_view{};
  member.value = member.value.substr(0, end);
  return member;
}

}  // namespace lockstep::base
