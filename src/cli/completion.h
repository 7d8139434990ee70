// Completion scripts made from the table of verbs. Each offers the verbs, the flags of the verb on the line,
// their choices, and files or folders where the table says so.
#pragma once

#include <string>

#include "cli/verb.h"

namespace lockstep::cli {

std::string bash_completion(VerbTable verbs);
std::string zsh_completion(VerbTable verbs);
std::string fish_completion(VerbTable verbs);

}  // namespace lockstep::cli
