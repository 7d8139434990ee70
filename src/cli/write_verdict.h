// A verdict in the form and to the place the user asked for: the last step of every verb that judges.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/exit_status.h"
#include "model/finding.h"
#include "report/format.h"

namespace lockstep::cli {

class Terminal;

// `out` is a file, or "-" for standard output. The status says whether there are findings.
Result<ExitStatus> write_verdict(const model::Verdict& verdict, report::Format format, const std::string& out,
                                 Terminal& terminal);

}  // namespace lockstep::cli
