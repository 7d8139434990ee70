// Which stand-in hides what. The same text of the same kind, in any case of letters, always gets the same
// one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

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

}  // namespace lockstep::report
