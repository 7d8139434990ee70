// Ranks and sizes of the launches of one job.
#include <map>
#include <set>

#include <fmt/format.h>

#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

namespace field = config::field;
using config::Settings;

// Every launch a number of its own below `count`; whoever has a good one first keeps it.
std::vector<std::int64_t> own_numbers(const std::vector<std::optional<std::int64_t>>& now,
                                      std::int64_t count) {
  std::set<std::int64_t> used;
  std::vector<std::optional<std::int64_t>> kept(now.size());
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] && *now[i] >= 0 && *now[i] < count && used.insert(*now[i]).second) kept[i] = now[i];
  std::vector<std::int64_t> numbers;
  std::int64_t next = 0;
  for (const auto& number : kept) {
    while (!number && used.contains(next)) ++next;
    numbers.push_back(number ? *number : next);
    used.insert(numbers.back());
  }
  return numbers;
}

std::vector<Edit> numbers(const RepairProblem& problem, const std::string& path) {
  std::vector<Edit> edits;
  std::vector<std::optional<std::int64_t>> now;
  for (const Settings& launch : problem.launches()) now.push_back(launch.number(path));
  const auto wanted = own_numbers(now, static_cast<std::int64_t>(now.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (now[i] != wanted[i])
      edits.push_back(
          {.kind = EditKind::kLaunch, .launch = i, .name = path, .value = fmt::format("{}", wanted[i])});
  return edits;
}

std::vector<Edit> everywhere(const RepairProblem& problem, const std::string& path,
                             const std::string& value) {
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < problem.launches().size(); ++i)
    if (problem.launches()[i].text(path) != value)
      edits.push_back({.kind = EditKind::kLaunch, .launch = i, .name = path, .value = value});
  return edits;
}

// What most launches say.
std::string usual(const RepairProblem& problem, const std::string& path) {
  std::map<std::string, int> counts;
  for (const Settings& launch : problem.launches()) ++counts[launch.text(path)];
  std::string most = problem.launches().front().text(path);
  for (const auto& [value, count] : counts)
    if (count > counts[most]) most = value;
  return most;
}

}  // namespace

void ask_ranks(RepairProblem& problem) {
  const std::size_t count = problem.launches().size();
  if (count < 2) return;
  const std::string size = fmt::format("{}", count);
  problem.ask_one_change("R02 R03",
                         {"each launch has a rank of its own", numbers(problem, field::variable("RANK"))});
  problem.ask_one_change(
      "R04", {"all launches have one world size", everywhere(problem, field::variable("WORLD_SIZE"), size)});
  problem.ask_one_change("R14 R15",
                         {"each node has a rank of its own", numbers(problem, field::kTorchrunNodeRank)});
  problem.ask_one_change(
      "R08", {"each machine has a rank of its own", numbers(problem, field::kAccelerateMachineRank)});
  problem.ask_one_change("R09",
                         {"all launches have one id",
                          everywhere(problem, field::kRendezvousId, usual(problem, field::kRendezvousId))});
}

}  // namespace lockstep::repair
