#include "readers/stacks/process_family.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace lockstep::readers {

bool is_launcher_command(std::string_view command_line) {
  constexpr std::array<std::string_view, 6> kLaunchers = {
      "torch.distributed.run", "torch.distributed.launch", "torchrun",
      "accelerate launch",     "deepspeed.launcher",       "horovodrun"};
  return std::ranges::any_of(kLaunchers, [&](std::string_view launcher) {
    return command_line.find(launcher) != std::string_view::npos;
  });
}

std::vector<ProcessDump> only_ranks(std::vector<FamilyMember> family) {
  std::set<std::int64_t> rank_pids;
  for (const FamilyMember& member : family) {
    if (!member.is_launcher && member.dump.pid) rank_pids.insert(*member.dump.pid);
  }
  std::vector<ProcessDump> ranks;
  for (FamilyMember& member : family) {
    const bool is_child_of_a_rank = member.parent && rank_pids.count(*member.parent) != 0;
    if (!member.is_launcher && !is_child_of_a_rank) ranks.push_back(std::move(member.dump));
  }
  return ranks;
}

}  // namespace lockstep::readers
