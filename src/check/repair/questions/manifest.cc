// Kubernetes manifests: what in them keeps pods from each other.
#include <fmt/format.h>

#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

namespace field = config::field;
using config::LaunchConfig;

constexpr std::string_view kClusterNames = "ClusterFirstWithHostNet";

void add(std::size_t launch, std::string path, std::string value, std::vector<Edit>& edits) {
  edits.push_back(
      {.kind = EditKind::kLaunch, .launch = launch, .name = std::move(path), .value = std::move(value)});
}

bool is(const LaunchConfig& launch, const std::string& path, bool wanted) {
  const base::Json* const value = launch.find(path);
  return value != nullptr && value->is_boolean() && value->get<bool>() == wanted;
}

// Calls `edit` with the path of each pod, service or policy.
void each(const LaunchConfig& launch, std::string_view list, const auto& edit) {
  for (std::size_t i = 0; i < launch.count(list); ++i) edit(field::item(list, i).path);
}

std::string headless_service(const LaunchConfig& launch) {
  std::string found;
  each(launch, field::kServices, [&](const std::string& service) {
    if (found.empty() && is(launch, service + "/headless", true)) found = launch.text(service + "/name");
  });
  return found;
}

void use_cluster_names(const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
  each(launch, field::kPods, [&](const std::string& pod) {
    if (is(launch, pod + "/host_network", true) && launch.text(pod + "/dns_policy") != kClusterNames)
      add(at, pod + "/dns_policy", std::string(kClusterNames), edits);
  });
}

void name_headless_service(const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
  const std::string service = headless_service(launch);
  each(launch, field::kPods, [&](const std::string& pod) {
    if (!service.empty() && launch.has(pod + "/subdomain") && launch.text(pod + "/subdomain") != service)
      add(at, pod + "/subdomain", service, edits);
  });
}

void make_headless(const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
  each(launch, field::kServices, [&](const std::string& service) {
    if (is(launch, service + "/headless", false)) add(at, service + "/headless", "true", edits);
  });
}

void leave_mesh(const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
  if (launch.count(field::kPods) > 0)
    add(at, field::member(field::item(field::kPods, 0), "mesh"), "false", edits);
}

void open_policies(const LaunchConfig& launch, std::size_t at, const std::string& direction,
                   std::vector<Edit>& edits) {
  each(launch, field::kPolicies, [&](const std::string& policy) {
    if (is(launch, policy + "/limits_" + direction, true))
      add(at, fmt::format("{}/{}", policy, direction), "open", edits);
  });
}

void ask_about(RepairProblem& problem, std::string_view rule, std::string words, const auto& add_edits) {
  Answer answer{std::move(words), {}};
  for (std::size_t at = 0; at < problem.launches().size(); ++at)
    add_edits(problem.launches()[at], at, answer.edits);
  problem.ask_one_change(rule, std::move(answer));
}

}  // namespace

void ask_manifest(RepairProblem& problem) {
  ask_about(problem, "D09", "pods use the cluster's names", use_cluster_names);
  ask_about(problem, "D10", "pods have the headless service's subdomain", name_headless_service);
  ask_about(problem, "F14", "the service is headless", make_headless);
  ask_about(problem, "F10", "no mesh stands between the pods", leave_mesh);
  for (const auto& [rule, direction] : {std::pair("F09", "ingress"), std::pair("F06", "egress")})
    ask_about(problem, rule, "policies let the job's pods through",
              [&, way = std::string(direction)](const LaunchConfig& launch, std::size_t at,
                                                std::vector<Edit>& edits) {
                open_policies(launch, at, way, edits);
              });
}

}  // namespace lockstep::repair
