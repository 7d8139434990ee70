// A TCP port of the loopback address that nobody listens on now, for a job that must be told one.
#pragma once

#include "base/result.h"

namespace lockstep::process {

Result<int> free_port();

}  // namespace lockstep::process
