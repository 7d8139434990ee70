// A repair in words and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "check/repair/repair.h"

namespace lockstep::repair {

// A patch, commands for each host, the command to start; what is in the way. For a terminal.
std::string to_text(const Repair& repair);

// The same as a section of a Markdown report.
std::string to_markdown(const Repair& repair);

// docs/formats/findings-json.md has its members.
base::Json to_json(const Repair& repair);

// "environment", "launch", "firewall", "system".
std::string_view name_of(EditKind kind);

}  // namespace lockstep::repair
