// Lists of folders with colons, such as PATH.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::facts {

// Those that are not empty, in their order.
std::vector<std::string_view> folders_in(std::string_view list);

// The executable of this name in the first folder that holds one; empty: none does.
std::string program_in(std::string_view list, const std::string& name);

}  // namespace lockstep::facts
