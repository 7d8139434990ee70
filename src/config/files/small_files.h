// Files of a few lines: lists of hosts, variables.
#pragma once

#include <string_view>

#include "config/reading.h"

namespace lockstep::config {

// "name slots=4", "name:4", "name", one a line: becomes field::kHostList.
void read_hostfile(std::string_view text, const Reading& reading);
// "a:4,b:4" of a flag; `how` names it.
void read_host_list(std::string_view text, const std::string& how, const Reading& reading);
// NAME=VALUE lines: become `section`/NAME. Lines that are neither that nor comments are faults.
void read_variables_file(std::string_view text, const std::string& section, const Reading& reading);

bool looks_like_hostfile(std::string_view text);
bool looks_like_variables(std::string_view text);

}  // namespace lockstep::config
