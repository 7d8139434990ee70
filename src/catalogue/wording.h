// Titles and meanings of symptoms: "The port[ {port}] is already taken". What stands in brackets is said only
// where the line has all of its captures.
#pragma once

#include <string>
#include <string_view>

#include "base/text_search/regex.h"

namespace lockstep::catalogue {

std::string worded(std::string_view text, const base::Regex::Captures& captures);

// Of no line in particular.
inline std::string worded_in_general(std::string_view text) {
  return worded(text, {});
}

}  // namespace lockstep::catalogue
