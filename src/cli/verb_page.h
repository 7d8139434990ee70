// A verb's page in docs/verbs/ is written by hand; this says where it and the table of verbs disagree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"

namespace lockstep::cli {

// One line per disagreement: the title, the usage, a flag of the verb that has no entry, an entry for a flag
// the verb does not have. An entry is a line that begins with "- `" and names the flag: "- `--out=FILE`".
std::vector<std::string> disagreements(const Verb& verb, std::string_view page);

}  // namespace lockstep::cli
