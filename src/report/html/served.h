// The same page as a service hands it out: without a job's data, which it asks the service for.
#pragma once

#include <string>

#include "base/result.h"

namespace lockstep::html {

struct ServedPage {
  std::string html;
  std::string policy;  // the content-security policy, for the head of the answer
};

Result<ServedPage> served_page();

}  // namespace lockstep::html
