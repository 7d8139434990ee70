// One file that a browser opens without a network: the built page of page/dist with the contents put in.
//
// The page allows no script and no style but its own (by hash), and loads nothing from anywhere. What came
// from logs and recordings is data in it: JSON without any "<", or base64.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/html/contents.h"

namespace lockstep::html {

// `version` is the tool's.
Result<std::string> html_of(const Contents& contents, std::string_view version);

// The same page as a service serves it: without a job's data, which it requests from the service.
struct ServedPage {
  std::string html;
  std::string policy;  // the content-security policy, for the header of the response
};

Result<ServedPage> served_page();

}  // namespace lockstep::html
