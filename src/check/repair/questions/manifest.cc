// Kubernetes manifests: what in them keeps pods from each other.
#include <fmt/format.h>

#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

using config::Fields;
using config::Group;
using config::LaunchConfig;
using Pod = Fields::Pod;
using Policy = Fields::Policy;
using Service = Fields::Service;

constexpr std::string_view kClusterNames = "ClusterFirstWithHostNet";

void add(std::size_t launch, const config::FieldPath& field, std::string value, std::vector<Edit>& edits) {
  edits.push_back({.kind = EditKind::kLaunch, .launch = launch, .field = field, .value = std::move(value)});
}

bool is(const LaunchConfig& launch, const config::NamedField<bool>& field, bool wanted) {
  const auto found = launch.get(field);
  return found && found->value == wanted;
}

// Calls `edit` with each pod, service or policy.
void each(const LaunchConfig& launch, const Fields::Items& list, const auto& edit) {
  for (std::size_t i = 0; i < launch.count(list); ++i) edit(Fields::item(list, i));
}

std::string headless_service(const LaunchConfig& launch) {
  std::string found;
  each(launch, Fields::kServices, [&](const config::NamedField<Group>& service) {
    if (found.empty() && is(launch, service.at(Service::kIsHeadless), true))
      found = launch.text(service.at(Service::kName));
  });
  return found;
}

void use_cluster_names(const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
  each(launch, Fields::kPods, [&](const config::NamedField<Group>& pod) {
    if (is(launch, pod.at(Pod::kHostNetwork), true) && launch.text(pod.at(Pod::kDnsPolicy)) != kClusterNames)
      add(at, pod.at(Pod::kDnsPolicy), std::string(kClusterNames), edits);
  });
}

void name_headless_service(const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
  const std::string service = headless_service(launch);
  each(launch, Fields::kPods, [&](const config::NamedField<Group>& pod) {
    if (!service.empty() && launch.has(pod.at(Pod::kSubdomain)) &&
        launch.text(pod.at(Pod::kSubdomain)) != service)
      add(at, pod.at(Pod::kSubdomain), service, edits);
  });
}

void make_headless(const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
  each(launch, Fields::kServices, [&](const config::NamedField<Group>& service) {
    if (is(launch, service.at(Service::kIsHeadless), false))
      add(at, service.at(Service::kIsHeadless), "true", edits);
  });
}

void leave_mesh(const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
  if (launch.count(Fields::kPods) > 0) add(at, Fields::item(Fields::kPods, 0).at(Pod::kMesh), "false", edits);
}

struct Direction {
  std::string_view rule;
  config::Member<bool> limits;
  config::Member<config::Listed> rules;
};

constexpr Direction kDirections[] = {{"F09", Policy::kLimitsIngress, Policy::kIngress},
                                     {"F06", Policy::kLimitsEgress, Policy::kEgress}};

void open_policies(const LaunchConfig& launch, std::size_t at, const Direction& direction,
                   std::vector<Edit>& edits) {
  each(launch, Fields::kPolicies, [&](const config::NamedField<Group>& policy) {
    if (is(launch, policy.at(direction.limits), true)) add(at, policy.at(direction.rules), "open", edits);
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
  for (const Direction& direction : kDirections)
    ask_about(problem, direction.rule, "policies let the job's pods through",
              [&](const LaunchConfig& launch, std::size_t at, std::vector<Edit>& edits) {
                open_policies(launch, at, direction, edits);
              });
}

}  // namespace lockstep::repair
