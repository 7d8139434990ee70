// A user's launch command, and what it becomes when one rank alone is to run: same program, same arguments,
// world size 1.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::isolate {

using Words = std::vector<std::string>;
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

}  // namespace lockstep::isolate
