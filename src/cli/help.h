// What --help prints, made from the table of verbs, and the layout it shares with other verbs. Fits 80
// columns.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/verb.h"
#include "report/lines.h"

namespace lockstep::cli {

using report::paragraph;

struct Row {
  std::string label;
  std::string text;
};

// Labels on the left, texts aligned on the right and wrapped there.
std::string two_columns(std::span<const Row> rows);

std::string program_help(VerbTable verbs);
std::string verb_help(const Verb& verb);

}  // namespace lockstep::cli
