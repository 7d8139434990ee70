// Where a launcher's own flags end and the job's command begins, by a table of the flags it documents.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "isolate/control.h"

namespace lockstep::isolate {

enum class Fate {
  kKeep,
  kDrop,    // it asks for ranks, hosts or the network between them, or sends output elsewhere
  kRefuse,  // with it the command cannot be reduced; `why` says so
};

struct LauncherFlag {
  std::string_view names;  // as typed, separated by spaces: "-n --ntasks"
  int values = 0;          // words that follow; a value after '=' is the first of them
  Fate fate = Fate::kKeep;
  std::string_view why = {};
};

// How a launcher reads its words.
struct FlagRules {
  bool underscore_is_dash = false;   // --nproc_per_node is --nproc-per-node
  bool may_be_shortened = false;     // --nproc stands for the one flag that begins so
  bool short_may_be_joined = false;  // -n4, -lu
};

struct SplitCommand {
  Words kept;     // flags with their values
  Words dropped;  // the same
  Words program;  // what is launched, with its arguments
};

// `words` are those after the launcher's name. An error when a flag is not in the table: what follows it
// could be its value or the job's program, and a guess would run something the user did not ask for.
Result<SplitCommand> split_command(std::string_view launcher, std::span<const std::string> words,
                                   std::span<const LauncherFlag> table, const FlagRules& rules);

// "this command cannot become one rank", with the reason.
Error cannot_reduce(std::string_view where, std::string_view why);

}  // namespace lockstep::isolate
