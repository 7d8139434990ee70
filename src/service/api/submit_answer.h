// What is answered to whoever submitted a job.
#pragma once

#include "base/json.h"
#include "service/http/message.h"
#include "service/job_service.h"

namespace lockstep::service {

Response answer_to(const Submitted& done);

}  // namespace lockstep::service
