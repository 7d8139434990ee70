// A user's launch command, and what it becomes when one rank alone is to run: same program, same arguments,
// world size 1.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launchers/flag_table.h"

namespace lockstep::launchers {

using Environment = std::map<std::string, std::string, std::less<>>;

// What the user typed and the variables it would run under.
struct Launch {
  Words command;
  Environment environment;
  int free_port = 0;  // on the loopback address, for whoever must listen there
};

struct Change {
  std::string name;
  std::optional<std::string> value;  // nullopt: taken out

  bool operator==(const Change&) const = default;
};

struct Control {
  std::string launcher;  // "torchrun", "srun and torchrun"; "python" where nothing launches
  Words command;
  std::vector<Change> changes;  // of the environment
  Words left_out;               // words of the user's command, in order
  Words notes;                  // what the reduction cannot know, in sentences
};

inline constexpr const char* kLoopback = "127.0.0.1";

// Reduces a command, whatever it begins with: the program of a launcher may be another launcher.
Result<void> reduce_command(std::span<const std::string> words, const Launch& launch, Control& control);

// For the launchers of this folder. `head` is what names the launcher ("python -m torch.distributed.run"),
// `words` what follows it.
struct Launched {
  Words head;
  std::span<const std::string> words;
};
// env, nice, uv run and the like: something known stands behind them.
Result<void> reduce_wrapped(const Launched& launched, const Launch& launch, Control& control);
// A program that nobody launches: the variables tell it that it is one of several.
Result<void> reduce_plain(std::span<const std::string> words, const Launch& launch, Control& control);

// A launcher's words in three heaps.
struct SplitForOne {
  Words kept;     // flags with their values
  Words dropped;  // the same
  Words program;  // what is launched, with its arguments
};
Result<SplitForOne> split_for_one(std::span<const std::string> words, const LauncherTable& table);

// "this command cannot become one rank", with the reason.
Error cannot_reduce(std::string_view where, std::string_view why);

void append(Words& words, std::span<const std::string> more);
void append(Words& words, std::initializer_list<std::string> more);
void add_launcher(Control& control, std::string_view name);
void add_changes(Control& control, const std::vector<Change>& changes);

// Those of the changes that change something.
std::vector<Change> that_matter(std::vector<Change> changes, const Environment& environment);

// RANK, WORLD_SIZE and their kin, MASTER_ADDR and MASTER_PORT: only where some of them are set.
std::vector<Change> torch_variables_for_one(const Environment& environment, int free_port);

// TF_CONFIG with one worker. An error for a job of parameter servers, and for text that is not a cluster.
Result<std::vector<Change>> tf_config_for_one(const Environment& environment, int free_port);

}  // namespace lockstep::launchers
