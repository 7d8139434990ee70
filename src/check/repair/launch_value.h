// A value of a launch, set where it stands: in a script, in the command, in the environment, in a JSON file,
// a host file or a manifest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/repair/situation.h"

namespace lockstep::repair {

// A host in a host file.
struct HostEntry {
  std::string name;
  std::optional<std::int64_t> slots;
};

// "a:2,b".
std::string as_flag(const std::vector<HostEntry>& entries);

// The list in a host file, written anew line by line; comments stay. `hosts` as a flag has them. False: the
// list stands in no file.
bool set_host_file(Situation& situation, const config::LaunchConfig& launch, std::string_view hosts);

// False: the field has no place that can be edited.
bool set_launch_value(Situation& situation, std::size_t launch, const config::FieldPath& field,
                      const std::optional<std::string>& value);

// "export NAME=value", "unset NAME".
std::string variable_command(const std::string& name, const std::optional<std::string>& value);

}  // namespace lockstep::repair
