// One file that a browser opens without a network: the built page of page/dist with the contents put in.
//
// The page allows no script and no style but its own (by hash), and takes nothing from anywhere. What came
// from logs and recordings is data in it: JSON in which no "<" stands, or base64.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/html/contents.h"

namespace lockstep::html {

// `version` is the tool's.
Result<std::string> html_of(const Contents& contents, std::string_view version);

}  // namespace lockstep::html
