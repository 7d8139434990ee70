// Names of hosts that a host does not know.
#include <set>

#include <fmt/format.h>

#include "check/repair/questions/questions.h"
#include "config/derive.h"

namespace lockstep::repair {
namespace {

std::set<std::string> hosts_of_tasks(const config::Settings& launch) {
  std::set<std::string> names;
  const base::Json* const cluster = launch.find(config::field::kTensorflowCluster);
  if (cluster == nullptr || !cluster->is_object()) return names;
  for (const base::Json& tasks : *cluster)
    for (const base::Json& task : tasks)
      if (task.is_string()) names.insert(config::endpoint_of(task.get<std::string>()).host);
  return names;
}

}  // namespace

void ask_names(RepairProblem& problem) {
  const std::set<std::string> names = hosts_of_tasks(problem.hosts().launch());
  for (std::size_t host = 0; host < problem.hosts().size(); ++host) {
    Answer answer{fmt::format("{} knows the names of the others", problem.hosts()[host].name), {}};
    for (const hostinfo::ResolvedName& known : problem.hosts()[host].names) {
      if (known.any_error.empty() || !names.contains(known.name)) continue;
      const auto meant = problem.hosts().named(known.name);
      if (!meant || problem.usable(*meant).empty()) continue;
      answer.edits.push_back({.kind = EditKind::kSystem,
                              .host = host,
                              .name = "name " + known.name,
                              .value = base::to_text(problem.usable(*meant).front().address)});
    }
    problem.ask_one_change("D18", std::move(answer), host);
  }
}

}  // namespace lockstep::repair
