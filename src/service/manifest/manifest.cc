#include "service/manifest/manifest.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "launchers/rank_variables.h"

namespace lockstep::service {
namespace {

using base::Json;

constexpr int kMasterPort = 29500;
constexpr int kServerPort = 2222;

constexpr std::pair<std::string_view, ManifestKind> kManifestKinds[] = {
    {"job", ManifestKind::kJob},
    {"pytorchjob", ManifestKind::kPyTorchJob},
    {"mpijob", ManifestKind::kMpiJob},
    {"tfjob", ManifestKind::kTfJob},
    {"jobset", ManifestKind::kJobSet}};

Json named_value(const std::string& name, const std::string& value) {
  return {{"name", name}, {"value", value}};
}

Json metadata(const ManifestRequest& request) {
  return {{"name", request.name}, {"labels", {{"app.kubernetes.io/managed-by", "lockstep"}}}};
}

Json limits_of(const ManifestRequest& request) {
  Json limits = {{"cpu", std::to_string(request.cpus_per_worker)}};
  if (request.memory_per_worker > 0) limits["memory"] = std::to_string(request.memory_per_worker);
  if (request.gpus_per_worker > 0) limits["nvidia.com/gpu"] = std::to_string(request.gpus_per_worker);
  return {{"limits", limits}};
}

// /dev/shm of a container is 64 MiB unless it is said otherwise: too little for loaders of data.
Json pod_spec(const ManifestRequest& request, const std::string& container, std::vector<std::string> command,
              const Json& meeting) {
  Json environment = meeting;
  for (const auto& [name, value] : request.environment) environment.push_back(named_value(name, value));
  const Json mount = {{"name", "shm"}, {"mountPath", "/dev/shm"}};
  const Json one = {
      {"name", container},  {"image", request.image},          {"command", std::move(command)},
      {"env", environment}, {"resources", limits_of(request)}, {"volumeMounts", Json::array({mount})}};
  const Json volume = {{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}};
  return {{"restartPolicy", "Never"}, {"containers", Json::array({one})}, {"volumes", Json::array({volume})}};
}

// Pods of an Indexed Job are told their number; names are those of a headless service.
Json meeting_of_indexed(const ManifestRequest& request, const std::string& pod_name) {
  const std::string index = "metadata.annotations['batch.kubernetes.io/job-completion-index']";
  Json variables = Json::array();
  variables.push_back({{"name", "RANK"}, {"valueFrom", {{"fieldRef", {{"fieldPath", index}}}}}});
  if (request.framework == Framework::kTensorFlow) {
    std::vector<std::string> servers;
    for (int rank = 0; rank < request.workers; ++rank)
      servers.push_back(fmt::format("{}-{}.{}:{}", pod_name, rank, request.name, kServerPort));
    variables.push_back(named_value("TF_CONFIG", launchers::tf_config_text(servers, "$(RANK)")));
    return variables;
  }
  variables.push_back(named_value("WORLD_SIZE", std::to_string(request.workers)));
  variables.push_back(named_value("LOCAL_RANK", "0"));
  variables.push_back(named_value("MASTER_ADDR", fmt::format("{}-0.{}", pod_name, request.name)));
  variables.push_back(named_value("MASTER_PORT", std::to_string(kMasterPort)));
  return variables;
}

Json indexed_job_spec(const ManifestRequest& request, const std::string& pod_name) {
  Json pod = pod_spec(request, "rank", request.command, meeting_of_indexed(request, pod_name));
  pod["subdomain"] = request.name;
  Json spec = {{"completionMode", "Indexed"},
               {"completions", request.workers},
               {"parallelism", request.workers},
               {"backoffLimit", 0},
               {"template", {{"metadata", {{"labels", {{"lockstep-job", request.name}}}}}, {"spec", pod}}}};
  if (request.time_limit_s > 0) spec["activeDeadlineSeconds"] = request.time_limit_s;
  return spec;
}

Json plain_job(const ManifestRequest& request) {
  const Json service = {{"apiVersion", "v1"},
                        {"kind", "Service"},
                        {"metadata", metadata(request)},
                        {"spec",
                         {{"clusterIP", "None"},
                          {"publishNotReadyAddresses", true},
                          {"selector", {{"lockstep-job", request.name}}}}}};
  const Json job = {{"apiVersion", "batch/v1"},
                    {"kind", "Job"},
                    {"metadata", metadata(request)},
                    {"spec", indexed_job_spec(request, request.name)}};
  return {{"apiVersion", "v1"}, {"kind", "List"}, {"items", Json::array({service, job})}};
}

Json job_set(const ManifestRequest& request) {
  const Json ranks = {{"name", "ranks"},
                      {"replicas", 1},
                      {"template", {{"spec", indexed_job_spec(request, request.name + "-ranks-0")}}}};
  return {{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
          {"kind", "JobSet"},
          {"metadata", metadata(request)},
          {"spec",
           {{"network", {{"enableDNSHostnames", true}, {"subdomain", request.name}}},
            {"failurePolicy", {{"maxRestarts", 0}}},
            {"replicatedJobs", Json::array({ranks})}}}};
}

Json replicas(int count, const Json& pod) {
  return {{"replicas", count}, {"restartPolicy", "Never"}, {"template", {{"spec", pod}}}};
}

Json run_policy(const ManifestRequest& request) {
  Json policy = {{"backoffLimit", 0}, {"cleanPodPolicy", "None"}};
  if (request.time_limit_s > 0) policy["activeDeadlineSeconds"] = request.time_limit_s;
  return policy;
}

Json operator_job(const ManifestRequest& request, const char* version, const char* kind, Json spec) {
  spec["runPolicy"] = run_policy(request);
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", metadata(request)}, {"spec", spec}};
}

// The operators tell the ranks themselves where the others are; they know the container by its name.
Json pytorch_job(const ManifestRequest& request) {
  const Json pod = pod_spec(request, "pytorch", request.command, Json::array());
  Json specs = {{"Master", replicas(1, pod)}};
  if (request.workers > 1) specs["Worker"] = replicas(request.workers - 1, pod);
  return operator_job(request, "kubeflow.org/v1", "PyTorchJob", {{"pytorchReplicaSpecs", specs}});
}

Json tf_job(const ManifestRequest& request) {
  const Json pod = pod_spec(request, "tensorflow", request.command, Json::array());
  return operator_job(request, "kubeflow.org/v1", "TFJob",
                      {{"tfReplicaSpecs", {{"Worker", replicas(request.workers, pod)}}}});
}

Json mpi_job(const ManifestRequest& request) {
  std::vector<std::string> launch = {
      "mpirun", "--allow-run-as-root", "-np", std::to_string(request.workers), "--bind-to", "none"};
  for (const auto& [name, value] : request.environment) launch.insert(launch.end(), {"-x", name});
  launch.insert(launch.end(), request.command.begin(), request.command.end());
  ManifestRequest launcher = request;
  launcher.gpus_per_worker = 0;
  const Json worker = pod_spec(request, "mpi", {"/usr/sbin/sshd", "-De"}, Json::array());
  return operator_job(request, "kubeflow.org/v2beta1", "MPIJob",
                      {{"slotsPerWorker", 1},
                       {"mpiReplicaSpecs",
                        {{"Launcher", replicas(1, pod_spec(launcher, "mpi", launch, Json::array()))},
                         {"Worker", replicas(request.workers, worker)}}}});
}

Error does_not_meet(const ManifestRequest& request, const char* kind, const char* hint) {
  return Error{"cannot make this manifest", kind,
               fmt::format("ranks of {} do not meet that way", word_for(request.framework)), hint};
}

}  // namespace

std::optional<ManifestKind> manifest_kind_named(std::string_view word) {
  const auto found = std::ranges::find(kManifestKinds, word, [](const auto& pair) { return pair.first; });
  return found == std::end(kManifestKinds) ? std::nullopt : std::optional(found->second);
}

Result<Json> manifest_of(ManifestKind kind, const ManifestRequest& request) {
  const bool is_horovod = request.framework == Framework::kHorovod;
  switch (kind) {
    case ManifestKind::kJob:
      if (is_horovod) return does_not_meet(request, "job", "use mpijob");
      return plain_job(request);
    case ManifestKind::kJobSet:
      if (is_horovod) return does_not_meet(request, "jobset", "use mpijob");
      return job_set(request);
    case ManifestKind::kPyTorchJob:
      if (request.framework == Framework::kTensorFlow || is_horovod)
        return does_not_meet(request, "pytorchjob", "use tfjob or mpijob");
      return pytorch_job(request);
    case ManifestKind::kTfJob:
      if (request.framework != Framework::kTensorFlow) return does_not_meet(request, "tfjob", "use job");
      return tf_job(request);
    case ManifestKind::kMpiJob:
      return mpi_job(request);
  }
  return Json();
}

}  // namespace lockstep::service
