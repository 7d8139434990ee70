// Patterns of our own, and replacing what they choose.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/regex.h"

namespace lockstep::report {

inline base::Regex pattern(std::string_view text) {
  auto compiled = base::Regex::compile(text, "redaction");
  CHECK(compiled.ok(), "patterns of the program are valid");
  return std::move(compiled).value();
}

// `replacement(chosen, span)` gives what takes its place, or nullopt to leave it.
template <typename Replacement>
std::string replace_all(const base::Regex& regex, std::string_view text, Replacement replacement) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t from = 0; const auto match = regex.find(text, from);) {
    const auto [begin, end] = match->chosen;
    from = end > from ? end : from + 1;
    const std::optional<std::string> other = replacement(text.substr(begin, end - begin), match->chosen);
    if (!other) continue;
    result.append(text.substr(copied, begin - copied)).append(*other);
    copied = end;
  }
  return result.append(text.substr(copied));
}

}  // namespace lockstep::report
