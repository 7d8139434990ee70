// Stand-ins for what is private, and masks for what patterns recognise of it: addresses of hosts, of hardware
// and of people, and secrets. The same text of the same kind, in any case of letters, always gets the same
// stand-in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_search/regex.h"

namespace lockstep::report {

enum class Private : std::uint8_t { kHost, kAddress, kHardware, kUser, kMail, kSecret };

class StandIns {
 public:
  // A stand-in that a text already holds is not given to anything else.
  void reserve_those_in(std::string_view text);

  std::string stand_in_for(Private kind, std::string_view text);
  // Another name of the same thing: a host with and without its domain.
  void also_name(Private kind, std::string_view known, std::string_view other);

  // What was given so far, by the text in lower case.
  std::map<std::string, std::string> given(Private kind) const;

  static bool is_stand_in(std::string_view text);

 private:
  std::map<std::pair<Private, std::string>, std::string> given_;
  std::map<Private, int> last_;
  std::set<std::string> reserved_;
};

// ASCII letters in lower case.
std::string lower(std::string_view text);

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
