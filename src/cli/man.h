// Man pages in mdoc(7), made from the table of verbs: lockstep(1) and one lockstep-VERB(1) each.
#pragma once

#include <string>
#include <string_view>

#include "cli/verb.h"

namespace lockstep::cli {

// `date` as mdoc wants it: "July 4, 2026".
std::string program_man_page(VerbTable verbs, std::string_view date);
std::string verb_man_page(const Verb& verb, std::string_view date);

}  // namespace lockstep::cli
