// mpirun and mpiexec, of Open MPI 3 to 5 and of MPICH, MVAPICH and Intel MPI (Hydra).
#include <algorithm>

#include "config/launchers/tables.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/split_for_one.h"
#include "isolate/variables.h"

namespace lockstep::isolate {
namespace {

// A variable that the launcher hands to its ranks and that has a new value now: -x NAME=OLD goes, -x NAME
// stays and carries the new one; -genv NAME OLD goes.
void take_out_changed(Words& kept, Words& left_out, const std::vector<Change>& changes) {
  Words remaining;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const std::string& flag = kept[at];
    const bool is_assignment =
        flag == "-x" && at + 1 < kept.size() && kept[at + 1].find('=') != kept[at + 1].npos;
    const bool is_pair = flag.ends_with("env") && flag.front() == '-' && at + 2 < kept.size();
    const std::size_t length = is_pair ? 3 : is_assignment ? 2 : 1;
    std::string name;
    if (is_pair || is_assignment) name = kept[at + 1].substr(0, kept[at + 1].find('='));
    const bool is_changed =
        std::ranges::any_of(changes, [&](const Change& change) { return change.name == name; });
    Words& target = is_changed ? left_out : remaining;
    append(target, std::span(kept).subspan(at, length));
    at += length - 1;
  }
  kept = std::move(remaining);
}

// The variables as the ranks would see them.
Environment with_handed_on(Environment environment, const Words& kept) {
  for (std::size_t at = 0; at + 1 < kept.size(); ++at) {
    const std::size_t equals = kept[at + 1].find('=');
    if (kept[at] == "-x" && equals != std::string::npos) {
      environment[kept[at + 1].substr(0, equals)] = kept[at + 1].substr(equals + 1);
    }
    if (kept[at].ends_with("env") && at + 2 < kept.size()) environment[kept[at + 1]] = kept[at + 2];
  }
  return environment;
}

}  // namespace

Result<void> reduce_mpirun(const Launched& launched, const Launch& launch, Control& control) {
  SplitForOne split = TRY(split_for_one(launched.words, config::kMpirunFlags));
  if (std::ranges::find(split.program, ":") != split.program.end()) {
    return cannot_reduce(":", "it starts several programs side by side");
  }
  const Environment environment = with_handed_on(launch.environment, split.kept);
  const std::vector<Change> changes = torch_variables_for_one(environment, launch.free_port);
  take_out_changed(split.kept, split.dropped, changes);
  add_launcher(control, "mpirun");
  append(control.command, launched.head);
  append(control.command, {"-np", "1"});
  append(control.command, split.kept);
  append(control.left_out, split.dropped);
  add_changes(control, that_matter(changes, launch.environment));
  return reduce_inner(split.program, launch, control);
}

}  // namespace lockstep::isolate
