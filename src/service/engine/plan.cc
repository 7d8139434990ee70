#include "service/engine/plan.h"

#include "base/file.h"
#include "base/json.h"

namespace lockstep::service {

base::Json encode_slurm_request(const SlurmRequest& request) {
  return {{"tools", request.tools},
          {"partition", request.partition},
          {"account", request.account},
          {"cpus_per_node", request.cpus_per_node},
          {"gpus_per_node", request.gpus_per_node},
          {"memory_per_node", request.memory_per_node},
          {"excluded_nodes", request.excluded_nodes}};
}

SlurmRequest decode_slurm_request(const base::Json& json) {
  return {.tools = json.at("tools").get<std::string>(),
          .partition = json.at("partition").get<std::string>(),
          .account = json.at("account").get<std::string>(),
          .cpus_per_node = json.at("cpus_per_node").get<int>(),
          .gpus_per_node = json.at("gpus_per_node").get<int>(),
          .memory_per_node = json.at("memory_per_node").get<std::int64_t>(),
          .excluded_nodes = json.at("excluded_nodes").get<std::vector<std::string>>()};
}

base::Json encode_kubernetes_request(const KubernetesRequest& request) {
  return {{"kubeconfig", request.kubeconfig},
          {"pod", request.pod},
          {"millicpus", request.millicpus},
          {"memory", request.memory},
          {"gpus", request.gpus},
          {"hosts", request.hosts},
          {"gang_wait_s", request.gang_wait_s},
          {"excluded_nodes", request.excluded_nodes}};
}

KubernetesRequest decode_kubernetes_request(const base::Json& json) {
  return {.kubeconfig = json.at("kubeconfig").get<std::string>(),
          .pod = json.at("pod"),
          .millicpus = json.at("millicpus").get<std::int64_t>(),
          .memory = json.at("memory").get<std::int64_t>(),
          .gpus = json.at("gpus").get<std::int64_t>(),
          .hosts = json.at("hosts").get<int>(),
          .gang_wait_s = json.at("gang_wait_s").get<int>(),
          .excluded_nodes = json.at("excluded_nodes").get<std::vector<std::string>>()};
}

namespace {

constexpr std::size_t kLargestPlan = std::size_t{64} << 20;

Plan decoded(const base::Json& json) {
  Plan plan;
  plan.job_id = json.at("job_id").get<std::string>();
  plan.attempt = json.at("attempt").get<int>();
  plan.workers = json.at("workers").get<int>();
  plan.framework = framework_named(json.at("framework").get<std::string>()).value_or(Framework::kPlain);
  plan.command = json.at("command").get<std::vector<std::string>>();
  plan.directory = json.at("directory").get<std::string>();
  plan.threads = json.at("threads").get<int>();
  plan.memory_per_worker = json.at("memory_per_worker").get<std::int64_t>();
  plan.gpus = json.at("gpus").get<std::vector<int>>();
  plan.ports = json.at("ports").get<std::vector<int>>();
  plan.time_limit_s = json.at("time_limit_s").get<int>();
  plan.checkpoint_directory = json.at("checkpoint_directory").get<std::string>();
  plan.artifacts_directory =
      json.value("artifacts_directory", std::string());  // none in plans of earlier versions
  plan.nodes = json.value("nodes", 1);
  plan.may_repair = json.value("may_repair", true);
  plan.node_environment = json.value("node_environment", plan.node_environment);
  plan.shared_memory = json.value("shared_memory", std::int64_t{0});
  if (json.contains("slurm")) plan.slurm = decode_slurm_request(json.at("slurm"));
  if (json.contains("kubernetes")) plan.kubernetes = decode_kubernetes_request(json.at("kubernetes"));
  return plan;
}

}  // namespace

int ports_needed(Framework framework, int workers) {
  switch (framework) {
    case Framework::kTensorFlow:
      return workers;  // each has a server of its own
    case Framework::kHorovod:
    case Framework::kPyTorch:
    case Framework::kPlain:
      return 1;
  }
  return 1;
}

Result<void> write_plan(const std::filesystem::path& path, const Plan& plan) {
  base::Json json = {{"job_id", plan.job_id},
                     {"attempt", plan.attempt},
                     {"workers", plan.workers},
                     {"framework", word_for(plan.framework)},
                     {"command", plan.command},
                     {"directory", plan.directory},
                     {"threads", plan.threads},
                     {"memory_per_worker", plan.memory_per_worker},
                     {"gpus", plan.gpus},
                     {"ports", plan.ports},
                     {"time_limit_s", plan.time_limit_s},
                     {"checkpoint_directory", plan.checkpoint_directory},
                     {"artifacts_directory", plan.artifacts_directory}};
  if (!plan.may_repair) json["may_repair"] = false;
  if (!plan.node_environment.empty()) json["node_environment"] = plan.node_environment;
  if (plan.shared_memory > 0) json["shared_memory"] = plan.shared_memory;
  if (plan.nodes > 1) json["nodes"] = plan.nodes;
  if (plan.slurm) json["slurm"] = encode_slurm_request(*plan.slurm);
  if (plan.kubernetes) json["kubernetes"] = encode_kubernetes_request(*plan.kubernetes);
  return base::write_file(path, base::to_text(json, base::JsonLayout::kIndented));
}

Result<Plan> read_plan(const std::filesystem::path& path) {
  const std::string text = TRY(base::read_file(path, kLargestPlan));
  const base::Json json = TRY(base::parse_json(text, path.string()));
  try {
    return decoded(json);
  } catch (const nlohmann::json::exception& fault) {
    return Error{"cannot read the plan of an attempt", path.string(), fault.what(), ""};
  }
}

}  // namespace lockstep::service
