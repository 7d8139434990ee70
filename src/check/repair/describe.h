// A repair in words and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "check/repair/repair.h"

namespace lockstep::repair {

// The difference of two texts as `patch` takes it; empty when they are equal.
std::string line_diff(const std::string& file, std::string_view before, std::string_view after);

// A patch, commands for each host, the command to start; what is in the way. For a terminal.
std::string to_text(const Repair& repair);

// The same as a section of a Markdown report.
std::string to_markdown(const Repair& repair);

// docs/formats/findings-json.md has its members.
base::Json to_json(const Repair& repair);

// "environment", "launch", "firewall", "system".
std::string_view name_of(EditKind kind);

}  // namespace lockstep::repair
