// One TF_CONFIG for all: the same cluster, tasks and ports that are each one's own.
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/net/address.h"
#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

using base::Json;
using config::Fields;
using config::LaunchConfig;

constexpr int kTfConfigFirstPort = 12345;

struct Task {
  std::string type;
  std::int64_t index = 0;
  auto operator<=>(const Task&) const = default;
};

Json json_of(const config::ClusterTasks& cluster) {
  Json json = Json::object();
  for (const config::TaskAddresses& tasks : cluster) json[tasks.job] = tasks.addresses;
  return json;
}

class TfConfigs {
 public:
  explicit TfConfigs(const RepairProblem& problem) : problem_(problem) {
    std::map<std::string, int> counts;
    int most = 0;
    for (const LaunchConfig& launch : problem.launches()) {
      const auto cluster = launch.get(Fields::kTensorflowCluster);
      if (!cluster) continue;
      const Json text = json_of(cluster->value);
      const int count = ++counts[text.dump()];
      if (count <= most) continue;
      most = count;
      cluster_ = text;
    }
  }

  // The text for each launch; empty where a cluster is not to be made of what is there.
  std::vector<std::string> made() {
    if (!cluster_.is_object()) return {};
    give_hosts();
    const std::vector<Task> all = tasks();
    give_own_hosts(all);
    give_ports();
    std::vector<std::string> texts;
    for (const Task& task : all) {
      const Json config = {{"cluster", cluster_}, {"task", {{"type", task.type}, {"index", task.index}}}};
      texts.push_back(base::to_text(config, base::JsonLayout::kOneLine));
    }
    return texts;
  }

 private:
  // A loopback entry among others is the host whose place in the list it has.
  void give_hosts() {
    const auto& hosts = problem_.situation().hosts;
    std::size_t at = 0;
    for (auto& [job, entries] : cluster_.items()) {
      for (Json& entry : entries) {
        const base::Endpoint endpoint = base::endpoint_of(entry.get<std::string>());
        const auto address = base::parse_address(endpoint.host);
        const bool is_loopback = endpoint.host == "localhost" || (address && address->is_loopback());
        if (is_loopback && at < hosts.size() && hosts.size() > 1) {
          const auto& usable = problem_.usable(at);
          if (!usable.empty())
            entry = fmt::format("{}:{}", base::to_text(usable.front().address), endpoint.port);
        }
        ++at;
      }
    }
  }

  // Where each host has a launch of its own, its task stands there.
  void give_own_hosts(const std::vector<Task>& all) {
    const auto& hosts = problem_.hosts();
    for (std::size_t i = 0; all.size() == hosts.size() && i < all.size(); ++i) {
      Json& entry = cluster_[all[i].type][static_cast<std::size_t>(all[i].index)];
      const base::Endpoint endpoint = base::endpoint_of(entry.get<std::string>());
      const auto address = hosts.resolved(i, endpoint.host);
      const auto meant = address ? hosts.with_address(*address) : hosts.named(endpoint.host);
      if (!meant || *meant == i || problem_.usable(i).empty()) continue;
      entry = fmt::format("{}:{}", base::to_text(problem_.usable(i).front().address), endpoint.port);
    }
  }

  void give_ports() {
    std::set<std::string> used;
    for (auto& [job, entries] : cluster_.items()) {
      for (Json& entry : entries) {
        const base::Endpoint endpoint = base::endpoint_of(entry.get<std::string>());
        if (!endpoint.port.empty() && endpoint.port != "0" && used.insert(entry.get<std::string>()).second)
          continue;
        int port = kTfConfigFirstPort;
        while (!used.insert(fmt::format("{}:{}", endpoint.host, port)).second) ++port;
        entry = fmt::format("{}:{}", endpoint.host, port);
      }
    }
  }

  // Whoever has a task of the cluster first keeps it; the others get those that are left, in order.
  std::vector<Task> tasks() const {
    std::set<Task> left;
    for (const auto& [job, entries] : cluster_.items())
      for (std::size_t i = 0; i < entries.size(); ++i) left.insert({job, static_cast<std::int64_t>(i)});
    std::vector<std::optional<Task>> kept;
    for (const LaunchConfig& launch : problem_.launches()) {
      const Task task{launch.text(Fields::kTensorflowTaskType),
                      launch.number(Fields::kTensorflowTaskIndex).value_or(-1)};
      kept.push_back(left.erase(task) > 0 ? std::optional(task) : std::nullopt);
    }
    std::vector<Task> tasks;
    for (const auto& task : kept) {
      if (task) {
        tasks.push_back(*task);
      } else if (!left.empty()) {
        tasks.push_back(*left.begin());
        left.erase(left.begin());
      }
    }
    return tasks;
  }

  const RepairProblem& problem_;
  Json cluster_;
};

bool means_the_same(const LaunchConfig& launch, const std::string& text) {
  const auto parsed = base::parse_json(text, "TF_CONFIG");
  const auto cluster = launch.get(Fields::kTensorflowCluster);
  if (!parsed.ok() || !cluster) return false;
  return parsed.value()["cluster"] == json_of(cluster->value) &&
         parsed.value()["task"]["type"] == launch.text(Fields::kTensorflowTaskType) &&
         launch.number(Fields::kTensorflowTaskIndex) == parsed.value()["task"]["index"].get<std::int64_t>();
}

void require_tasks(RepairProblem& problem, const Troubles& troubles, const std::vector<Literal>& unless) {
  for (const flows::RequiredFlow& flow : problem.judged().plan.flows)
    if (flow.kind == flows::FlowKind::kTensorflow)
      require_flow(problem, troubles, flow, unless,
                   fmt::format("at {}, port {}", base::to_text(flow.flow.destination),
                               network::to_text(flow.flow.ports)));
}

}  // namespace

void ask_tf_config(RepairProblem& problem, const Troubles& troubles) {
  const std::string why = problem.found_by("T01 T02 T03 T15 P09 P11 D08");
  if (why.empty()) return require_tasks(problem, troubles, {});
  const std::vector<std::string> texts = TfConfigs(problem).made();
  Answer answer{"all tasks have one cluster", {}};
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!means_the_same(problem.launches()[i], texts[i]))
      answer.edits.push_back({.kind = EditKind::kLaunch,
                              .launch = i,
                              .field = Fields::variable("TF_CONFIG"),
                              .value = texts[i]});
  if (answer.edits.empty()) return problem.choices().require({}, why);
  const auto literals = problem.ask({{"as it is", {}}, std::move(answer)});
  problem.choices().require({!literals[0]}, why);
  require_tasks(problem, troubles, {literals[1]});
}

}  // namespace lockstep::repair
