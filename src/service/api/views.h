// Jobs, attempts and events as the API shows them.
#pragma once

#include <vector>

#include "base/json.h"
#include "service/job/job.h"

namespace lockstep::service {

base::Json view_of(const Job& job);
base::Json view_of(const Attempt& attempt);
base::Json view_of(const Event& event);

}  // namespace lockstep::service
