// Documents made from the table of verbs, or checked against it: man pages, completions, docs/verbs/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"

namespace lockstep::cli {

// Man pages in mdoc(7): lockstep(1) and one lockstep-VERB(1) each. `date` as mdoc wants it: "July 4, 2026".
std::string program_man_page(VerbTable verbs, std::string_view date);
std::string verb_man_page(const Verb& verb, std::string_view date);

// Completion scripts. Each offers the verbs, the flags of the verb on the line, their choices, and files or
// folders where the table says so.
std::string bash_completion(VerbTable verbs);
std::string zsh_completion(VerbTable verbs);
std::string fish_completion(VerbTable verbs);

// Where a verb's page in docs/verbs/, which is written by hand, and the table disagree. One line each: the
// title, the usage, a flag of the verb that has no entry, an entry for a flag the verb does not have. An
// entry is a line that begins with "- `" and names the flag: "- `--out=FILE`".
std::vector<std::string> disagreements(const Verb& verb, std::string_view page);

}  // namespace lockstep::cli
