// The environment of this process, with what is secret masked.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::hostinfo {

inline constexpr std::string_view kMasked = "<masked>";

// Secret by the variable's name, or by the value's form.
bool is_secret(std::string_view name, std::string_view value);

// From "NAME=VALUE" each.
std::map<std::string, std::string> masked(const std::vector<std::string>& environment);

std::map<std::string, std::string> masked_environment();

}  // namespace lockstep::hostinfo
