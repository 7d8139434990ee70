// The environment of this process, as a job would inherit it.
#pragma once

#include <string>
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

}  // namespace lockstep::process
