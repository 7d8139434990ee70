// Flags between a launcher's name and the job's script.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::multihost {

// By name without leading dashes, '-' for '_'. A flag has a value when one follows '=', or when the next word
// is none and the flag is not among `without_value`. Ends at the first word that is neither.
inline std::map<std::string, std::string> flags_in(std::span<const std::string> words,
                                                   const std::set<std::string_view>& without_value) {
  std::map<std::string, std::string> flags;
  for (std::size_t i = 0; i < words.size() && words[i].starts_with('-') && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    name.erase(0, name.find_first_not_of('-'));
    for (char& c : name) c = c == '_' ? '-' : c;
    if (equals != std::string::npos) {
      flags[name] = word.substr(equals + 1);
    } else if (!without_value.contains(name) && i + 1 < words.size() && !words[i + 1].starts_with("--")) {
      flags[name] = words[++i];
    } else {
      flags[name] = "";
    }
  }
  return flags;
}

}  // namespace lockstep::multihost
