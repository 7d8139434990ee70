// Masks what patterns recognise: addresses of hosts, of hardware and of people, and secrets.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_search/regex.h"
#include "report/redact/stand_ins.h"

namespace lockstep::report {

// Tokens, keys and passwords.
std::string without_secrets(std::string_view text, StandIns& stand_ins);

inline std::vector<base::Regex> compiled(std::span<const std::string_view> patterns) {
  std::vector<base::Regex> all;
  for (const std::string_view pattern : patterns) all.push_back(base::Regex::of_our_own(pattern));
  return all;
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

// IPv4, IPv6, hardware and e-mail addresses. Those that every machine has (127.0.0.1, ::1, 0.0.0.0) and
// netmasks stay; so do version numbers of four parts where something says that they are versions.
std::string without_addresses(std::string_view text, StandIns& stand_ins);

}  // namespace lockstep::report
