// The request that the command line of 'lockstep replay' makes.
#pragma once

#include "base/result.h"
#include "cli/args.h"
#include "replay/request.h"

namespace lockstep::cli {

Result<replay::Request> replay_request_from(const Args& args);

}  // namespace lockstep::cli
