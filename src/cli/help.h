// What --help prints, made from the table of verbs. Fits 80 columns.
#pragma once

#include <string>

#include "cli/verb.h"

namespace lockstep::cli {

std::string program_help(VerbTable verbs);
std::string verb_help(const Verb& verb);

}  // namespace lockstep::cli
