// --fix and --apply of check: a repair shown behind the verdict, and carried out as far as the user lets it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "check/repair/repair.h"
#include "cli/verb.h"

namespace lockstep::cli {

class Terminal;

// Writes the files it patches, with the old text of each beside it, and, below `folder`, one file of
// variables for each host. Commands for firewall and system of this host are asked for one by one where a
// person sits at the terminal, and never run otherwise. Says what it did.
Result<void> apply_repair(const repair::Repair& repair, const std::string& folder, Terminal& terminal);

}  // namespace lockstep::cli
