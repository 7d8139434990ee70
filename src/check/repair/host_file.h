// The list of hosts in a host file, written anew line by line; comments stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/repair/situation.h"

namespace lockstep::repair {

struct HostEntry {
  std::string name;
  std::optional<std::int64_t> slots;
};

// "a:2,b".
std::string as_flag(const std::vector<HostEntry>& entries);

// `hosts` as a flag has them. False: the list stands in no file.
bool set_host_file(Situation& situation, const config::Settings& launch, std::string_view hosts);

}  // namespace lockstep::repair
