// A launcher's words in three heaps: what one rank alone keeps, what it drops, and the program.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "config/flag_table.h"
#include "isolate/control.h"

namespace lockstep::isolate {

struct SplitForOne {
  Words kept;     // flags with their values
  Words dropped;  // the same
  Words program;  // what is launched, with its arguments
};

Result<SplitForOne> split_for_one(std::span<const std::string> words, const config::LauncherTable& table);

// "this command cannot become one rank", with the reason.
Error cannot_reduce(std::string_view where, std::string_view why);

}  // namespace lockstep::isolate
