// The tokens of a service, for `lockstep serve --make-token` and its sisters.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/args.h"
#include "cli/exit_status.h"
#include "cli/terminal.h"

namespace lockstep::cli {

// Nothing: none of those flags was typed.
Result<std::optional<ExitStatus>> handle_tokens(const Args& args, Terminal& terminal);

}  // namespace lockstep::cli
