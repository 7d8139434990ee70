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

// The same in the PATH of `environment` ("NAME=VALUE"), where posix_spawnp would look in this program's. A
// name with a slash, or that is nowhere, as it is.
std::string program_for(const std::string& name, const std::vector<std::string>& environment);

}  // namespace lockstep::process
