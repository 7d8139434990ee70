// TF_CONFIG: TensorFlow's jobs have no launcher; a variable tells each process the cluster and its place in
// it.
#include <fmt/format.h>

#include "base/json.h"
#include "launchers/one_rank.h"

namespace lockstep::launchers {
namespace {

using base::Json;

Error wrong_cluster(std::string_view why) {
  Error error = cannot_reduce("TF_CONFIG", why);
  error.hint.clear();  // no other command would do
  return error;
}

}  // namespace

Result<std::vector<Change>> tf_config_for_one(const Environment& environment, int free_port) {
  const auto set = environment.find("TF_CONFIG");
  if (set == environment.end() || set->second.empty()) return std::vector<Change>{};
  const auto parsed = base::parse_json(set->second, "TF_CONFIG");
  if (!parsed.ok()) return wrong_cluster("it is not JSON: " + parsed.error().why);
  Json config = parsed.value();
  if (!config.is_object()) return wrong_cluster("it is not a JSON object");
  const auto cluster = config.find("cluster");
  if (cluster == config.end() || cluster->empty()) return std::vector<Change>{};
  if (!cluster->is_object()) return wrong_cluster("its cluster is not a JSON object");
  if (cluster->contains("ps")) {
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
