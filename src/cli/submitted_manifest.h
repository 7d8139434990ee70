// `lockstep submit --dry-run`: the request as objects of Kubernetes.
#pragma once

#include "base/json.h"
#include "cli/args.h"
#include "cli/exit_status.h"
#include "cli/terminal.h"

namespace lockstep::cli {

Result<ExitStatus> show_manifest(const Args& args, const base::Json& request, Terminal& terminal);

}  // namespace lockstep::cli
