// A refusal as RFC 9457 has it, with a stable code and what to do next.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/http/message.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {

struct Problem {
  int status = 500;
  std::string_view code;  // "job_not_found"; never used for anything else again
  std::string title;
  std::string detail = {};
  std::string hint = {};
  std::vector<FieldFault> errors = {};
};

Response answer(const Problem& problem);

}  // namespace lockstep::service
