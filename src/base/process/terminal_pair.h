// A pseudo-terminal for a job whose output goes to a terminal, so that it prints as it would without us.
#pragma once

#include "base/process/descriptor.h"
#include "base/result.h"

namespace lockstep::process {

struct TerminalPair {
  Descriptor ours;
  Descriptor the_jobs;
};

// As large as the terminal of this program's output. Bytes pass as they are: the real terminal translates
// line ends.
Result<TerminalPair> make_terminal_pair();

// Whether both standard output and standard error of this program are a terminal.
bool prints_on_a_terminal();

}  // namespace lockstep::process
