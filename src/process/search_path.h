// Lists of folders with colons, such as PATH.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::process {

// Those that are not empty, in their order.
std::vector<std::string_view> folders_in(std::string_view list);

bool is_program(const std::filesystem::path& place);

// The executable of this name in the first folder that holds one; empty: none does.
std::string program_in(std::string_view list, const std::string& name);

}  // namespace lockstep::process
