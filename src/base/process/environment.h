// The environment of this process, as a job would inherit it, and the programs its PATH leads to.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace lockstep::process {

// "NAME=VALUE" each.
inline std::vector<std::string> own_environment() {
  std::vector<std::string> environment;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  return environment;
}

// The folders of a list with colons, such as PATH, in their order; empty ones are left out.
std::vector<std::string_view> folders_in(std::string_view list);

bool is_program(const std::filesystem::path& place);

// The executable of this name in the first folder that holds one; empty: none does.
std::string program_in(std::string_view list, const std::string& name);

// The same in the PATH of `environment` ("NAME=VALUE"), where posix_spawnp would look in this program's. A
// name with a slash, or that is nowhere, as it is.
std::string program_for(const std::string& name, const std::vector<std::string>& environment);

}  // namespace lockstep::process
