// Ranks and sizes of the launches of one job.
#include <map>
#include <set>

#include <fmt/format.h>

#include "repair/questions/questions.h"

namespace lockstep::repair {
namespace {

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

void add_numbers(const RepairProblem& problem, const std::string& path, std::vector<Edit>& edits) {
  std::vector<std::optional<std::int64_t>> now;
  for (const Settings& launch : problem.launches()) now.push_back(launch.number(path));
  const auto numbers = own_numbers(now, static_cast<std::int64_t>(now.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (now[i] != numbers[i])
      edits.push_back(
          {.kind = EditKind::kLaunch, .launch = i, .name = path, .value = fmt::format("{}", numbers[i])});
}

void add_everywhere(const RepairProblem& problem, const std::string& path, const std::string& value,
                    std::vector<Edit>& edits) {
  for (std::size_t i = 0; i < problem.launches().size(); ++i)
    if (problem.launches()[i].text(path) != value)
      edits.push_back({.kind = EditKind::kLaunch, .launch = i, .name = path, .value = value});
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

void ask_about(RepairProblem& problem, std::string_view rules, std::string words, const auto& edits_of) {
  const std::string why = problem.found_by(rules);
  if (why.empty()) return;
  Answer answer{std::move(words), {}};
  edits_of(answer.edits);
  if (answer.edits.empty()) return problem.choices().require({}, why);
  const auto literals = problem.ask({{"as it is", {}}, std::move(answer)});
  problem.choices().require({!literals[0]}, why);
}

}  // namespace

void ask_ranks(RepairProblem& problem) {
  const std::size_t count = problem.launches().size();
  if (count < 2) return;
  const std::string size = fmt::format("{}", count);
  ask_about(problem, "R02 R03", "each launch has a rank of its own",
            [&](std::vector<Edit>& edits) { add_numbers(problem, "env/RANK", edits); });
  ask_about(problem, "R04", "all launches have one world size",
            [&](std::vector<Edit>& edits) { add_everywhere(problem, "env/WORLD_SIZE", size, edits); });
  ask_about(problem, "R14 R15", "each node has a rank of its own",
            [&](std::vector<Edit>& edits) { add_numbers(problem, "torchrun/node_rank", edits); });
  ask_about(problem, "R08", "each machine has a rank of its own",
            [&](std::vector<Edit>& edits) { add_numbers(problem, "accelerate/machine_rank", edits); });
  ask_about(problem, "R10", "all launches ask for as many nodes as there are",
            [&](std::vector<Edit>& edits) { add_everywhere(problem, "torchrun/nnodes", size, edits); });
  ask_about(problem, "R09", "all launches have one id", [&](std::vector<Edit>& edits) {
    add_everywhere(problem, "torchrun/rdzv_id", usual(problem, "torchrun/rdzv_id"), edits);
  });
}

}  // namespace lockstep::repair
