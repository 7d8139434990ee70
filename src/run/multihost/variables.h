// Variables of an environment given as "NAME=VALUE".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::multihost {

// Nothing when it is not set or empty.
inline std::optional<std::string> variable(const std::vector<std::string>& environment,
                                           std::string_view name) {
  for (const std::string& entry : environment) {
    const bool is_it = entry.size() > name.size() + 1 && entry.starts_with(name) && entry[name.size()] == '=';
    if (is_it) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

}  // namespace lockstep::multihost
