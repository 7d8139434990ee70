#include "launchers/tf_config.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launchers/one_rank.h"
#include "launchers/place.h"
#include "launchers/rank_variables.h"

namespace lockstep::launchers {
namespace {

using base::Json;

Error wrong_cluster(std::string_view why) {
  Error error = cannot_reduce("TF_CONFIG", why);
  error.hint.clear();  // no other command would do
  return error;
}

// A job is a list of addresses, or, as older code writes it, a map from index to address.
void read_job(const std::string& name, const Json& tasks, TfConfig& config) {
  config.cluster.push_back({name, {}});
  if (!tasks.is_structured()) {
    config.faults.push_back(fmt::format("{} is not a list of addresses", name));
    return;
  }
  for (const Json& task : tasks) {
    if (!task.is_string()) {
      config.faults.push_back(fmt::format("an address of {} is not text", name));
      return;
    }
    config.cluster.back().addresses.push_back(task.get<std::string>());
  }
}

void read_cluster(TfConfig& config) {
  const auto cluster = config.document.find("cluster");
  if (cluster == config.document.end()) {
    config.faults.push_back("no cluster");
  } else if (!cluster->is_object()) {
    config.faults.push_back("the cluster is not a JSON object");
  } else {
    config.has_cluster = true;
    for (const auto& [name, tasks] : cluster->items()) read_job(name, tasks, config);
  }
}

std::optional<Json> read_member(const Json& task, const char* name, TfConfig& config) {
  const auto value = task.find(name);
  if (value == task.end()) {
    config.faults.push_back(fmt::format("the task has no {}", name));
  } else if (value->is_string() || value->is_number_integer()) {
    return *value;
  }
  return std::nullopt;
}

void read_task(TfConfig& config) {
  const auto task = config.document.find("task");
  if (task == config.document.end() || !task->is_object()) {
    config.faults.push_back("no task");
    return;
  }
  config.type = read_member(*task, "type", config);
  config.index = read_member(*task, "index", config);
}

}  // namespace

const TfConfig::Job* TfConfig::job(std::string_view name) const {
  const auto found = std::ranges::find(cluster, name, &Job::name);
  return found == cluster.end() ? nullptr : &*found;
}

TfConfig read_tf_config(std::string_view text) {
  TfConfig config;
  config.document = Json::object();
  auto parsed = base::parse_json(text, "TF_CONFIG");
  if (!parsed.ok()) {
    config.faults.push_back("not JSON: " + parsed.error().why);
  } else if (!parsed.value().is_object()) {
    config.faults.push_back("not a JSON object");
  } else {
    config.document = std::move(parsed).value();
    read_cluster(config);
    read_task(config);
  }
  return config;
}

// The chief is the first, or worker 0 where there is none; the others count in the order of the cluster.
std::optional<JobPlace> place_by_tf_config(const Launch& launch) {
  const auto text = variable(launch.environment, "TF_CONFIG");
  if (!text) return std::nullopt;
  const TfConfig config = read_tf_config(*text);
  const TfConfig::Job* const first = config.job(config.job("chief") != nullptr ? "chief" : "worker");
  const bool has_task = config.type && config.type->is_string() && config.index &&
                        config.index->is_number_integer() && config.index->get<std::int64_t>() >= 0;
  if (first == nullptr || first->addresses.empty() || !has_task) return std::nullopt;
  const auto task = config.index->get<std::uint32_t>();
  JobPlace place{.index = 0, .count = 0, .head = {}, .launcher = "TF_CONFIG"};
  if (const auto head = base::host_port_in(first->addresses.front()); head && head->port != 0) {
    place.head = base::HostPort{.host = head->host, .port = port_from(fmt::format("tf {}", head->port))};
  }
  std::uint32_t behind = 1;
  for (const TfConfig::Job& job : config.cluster) {
    const auto count = static_cast<std::uint32_t>(job.addresses.size());
    place.count += count;
    if (job.name == config.type->get<std::string>() && (&job != first || task != 0))
      place.index = behind + task;
    behind += count;
  }
  return place;
}

std::string tf_config_text(const std::vector<std::string>& servers, std::string_view task) {
  return fmt::format(R"({{"cluster": {{"worker": ["{}"]}}, "task": {{"type": "worker", "index": {}}}}})",
                     fmt::join(servers, "\", \""), task);
}

Result<std::vector<Change>> tf_config_for_one(const Environment& environment, int free_port) {
  const auto set = environment.find("TF_CONFIG");
  if (set == environment.end() || set->second.empty()) return std::vector<Change>{};
  const TfConfig read = read_tf_config(set->second);
  if (read.document.empty() && !read.faults.empty() && read.faults.front().starts_with("not "))
    return wrong_cluster("it is " + read.faults.front());
  Json config = read.document;
  const auto cluster = config.find("cluster");
  if (cluster == config.end() || cluster->empty()) return std::vector<Change>{};
  if (!read.has_cluster) return wrong_cluster("its cluster is not a JSON object");
  if (read.job("ps") != nullptr) {
    return wrong_cluster(
        "the job has parameter servers: its variables live in other processes than its steps, so no single "
        "process is the job");
  }
  Json alone = Json::object();
  alone["worker"] = Json::array({fmt::format("{}:{}", kLoopback, free_port)});
  config["cluster"] = std::move(alone);
  config["task"] = {{"type", "worker"}, {"index", 0}};
  return std::vector<Change>{{"TF_CONFIG", base::to_text(config, base::JsonLayout::kOneLine)}};
}

}  // namespace lockstep::launchers
