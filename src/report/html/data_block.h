// Data in the built page: blocks that the page's script finds by their names.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace lockstep::html {

// JSON that a person can read in the file, or bytes packed.
std::string json_block(std::string_view name, std::string_view json);
std::string packed_block(std::string_view name, std::string_view bytes);

std::string one_line(const base::Json& json);

// The built page with blocks put in.
std::string page_with(std::string_view blocks);

}  // namespace lockstep::html
