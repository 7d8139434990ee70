// The smallest change with which check finds nothing that keeps the job from working.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "check/repair/patch.h"

namespace lockstep::repair {

// A fault that a repair mends: one that a rule found, or connections that do not come about.
struct Cause {
  std::string rule = {};  // "N14"; empty: none
  std::string code = {};  // of the symptom that the job would show
  std::string title = {};
};

struct Repair {
  std::vector<FileChange> files = {};
  std::vector<HostChange> hosts = {};
  config::Words command = {};                // as it must be; empty: it stays
  std::vector<Cause> mended = {};            // by all of it together
  std::vector<std::string> in_the_way = {};  // what no change of these kinds mends, in words
  bool is_needed = true;                     // false: nothing was wrong

  bool empty() const { return files.empty() && hosts.empty() && command.empty(); }
};

// The edits that are tried first; empty where the conditions contradict each other.
std::vector<Edit> first_choice(const Situation& situation, const Judged& judged);

// What it gives was verified: check was asked again with all changes made, and finds no error but those of
// `in_the_way`.
Repair find_repair(const Situation& situation);

// The difference of two texts as `patch` takes it; empty when they are equal.
std::string line_diff(const std::string& file, std::string_view before, std::string_view after);

// A patch, commands for each host, the command to start; what is in the way. For a terminal.
std::string to_text(const Repair& repair);

// The same as a section of a Markdown report.
std::string to_markdown(const Repair& repair);

// docs/formats/findings-json.md has its members.
base::Json to_json(const Repair& repair);

// "environment", "launch", "firewall", "system".
std::string_view name_of(EditKind kind);

}  // namespace lockstep::repair
