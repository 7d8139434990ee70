// A value of a launch, set where it stands: in a script, in the command, in the environment, in a JSON file,
// a host file or a manifest.
#pragma once

#include <optional>
#include <string>

#include "check/repair/situation.h"

namespace lockstep::repair {

// `path` is that of a field of config/fields.h. False: it has no place that can be edited.
bool set_launch_value(Situation& situation, std::size_t launch, const std::string& path,
                      const std::optional<std::string>& value);

// "export NAME=value", "unset NAME".
std::string variable_command(const std::string& name, const std::optional<std::string>& value);

}  // namespace lockstep::repair
