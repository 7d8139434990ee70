// YAML, at one edge: the files people write for the catalogue, read into the same values as JSON. Every
// scalar is a string; whoever reads the value knows what it should be.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace lockstep::base {

// `where` names the source in the error, with the line of the fault. Aliases are refused: a catalogue has no
// need of them, and a few lines of them can stand for gigabytes.
Result<Json> parse_yaml(std::string_view text, std::string_view where);

}  // namespace lockstep::base
