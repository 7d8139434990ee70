// Where a launcher's own flags end and the job's command begins, by a table of the flags it documents.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lockstep::launchers {

using Words = std::vector<std::string>;

// What becomes of a flag when one rank alone is to run.
enum class Fate {
  kKeep,
  kDrop,    // it asks for ranks, hosts or the network between them, or sends output elsewhere
  kRefuse,  // with it the command cannot be reduced; `why` says so
};

// A value may stand within the same word and nowhere else: -K1, --exclusive=user.
inline constexpr int kValueInside = -1;

struct LauncherFlag {
  std::string_view names;  // as typed, separated by spaces: "-n --ntasks"
  int values = 0;          // words that follow; a value after '=' is the first of them. Or kValueInside
  Fate fate = Fate::kKeep;
  std::string_view why = {};
};

// How a launcher reads its words.
struct FlagRules {
  bool underscore_is_dash = false;   // --nproc_per_node is --nproc-per-node
  bool may_be_shortened = false;     // --nproc stands for the one flag that begins so
  bool short_may_be_joined = false;  // -n4, -lu, -lun4
};

struct LauncherTable {
  std::string_view launcher;
  std::span<const LauncherFlag> flags;
  FlagRules rules;
};

struct TypedFlag {
  const LauncherFlag* flag = nullptr;
  std::string name;  // of the table, without dashes before it and with '_' inside: "nproc_per_node"
  Words values;
  Words words;         // as typed, with the values; a joined one by itself: -l and -n4 of -ln4
  std::size_t at = 0;  // of its word among those given
};

struct SplitCommand {
  std::vector<TypedFlag> flags;
  Words program;               // what is launched, with its arguments; empty when nothing is
  std::size_t program_at = 0;  // of its first word among those given
  // Of split_openly alone.
  Words unknown = {};  // flags that are not in the table
  Words open = {};     // words that may hold more flags, or be a value or the program
};

// `words` are those after the launcher's name. An error, with the word in `where`, when a flag is not in the
// table: what follows it could be its value or the job's program, and a guess would be about something the
// user did not ask for.
Result<SplitCommand> split_command(std::span<const std::string> words, const LauncherTable& table);

// The same for who must not be stopped by a flag of a newer launcher: one that is not in the table has a
// value when the next word is not another flag.
SplitCommand split_known(std::span<const std::string> words, const LauncherTable& table);

// What split_openly asks of words that it cannot decide by itself.
struct WordQuestions {
  bool (*may_be_words)(std::string_view word) = nullptr;  // only the running shell knows what is there
  bool (*begins_program)(std::span<const std::string> words) = nullptr;
};

// The same for who reads what others wrote, and judges only what is certain: nothing is lost behind a flag
// that is not in the table. `--x=y` says itself where it ends; behind `--x y` it stays open whether y is its
// value, unless y plainly begins a program.
Result<SplitCommand> split_openly(std::span<const std::string> words, const LauncherTable& table,
                                  const WordQuestions& questions);

// The value of a flag, by its name in the table ("node_rank"), where it was typed last; empty for one without
// a value. Nothing when it was not typed.
std::optional<std::string> value_of(const SplitCommand& split, std::string_view name);

}  // namespace lockstep::launchers
