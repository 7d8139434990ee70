#include "config/derive_policies.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::config {
namespace {

using base::Json;

bool selects(const Json& selector, const Json& labels) {
  return std::ranges::all_of(
      selector, [&](const Json& wanted) { return std::ranges::find(labels, wanted) != labels.end(); });
}

bool lets_through(const Json& rule, const Json& labels) {
  if (!rule.value("any_port", false)) return false;
  if (rule.value("any_peer", false)) return true;
  return std::ranges::any_of(rule.at("peers"),
                             [&](const Json& selector) { return selects(selector, labels); });
}

// Policies add up: one that selects the pods closes them, any rule of any of them opens.
bool is_open(const Json& policies, const Json& labels, const char* limits, const char* rules) {
  bool is_limited = false;
  bool is_let_through = false;
  for (const Json& policy : policies) {
    if (!policy.value(limits, false) || !selects(policy.at("selector"), labels)) continue;
    is_limited = true;
    is_let_through |=
        std::ranges::any_of(policy.at(rules), [&](const Json& rule) { return lets_through(rule, labels); });
  }
  return !is_limited || is_let_through;
}

}  // namespace

void derive_policies(Settings& settings) {
  if (settings.count(field::kPolicies) == 0) return;
  const Json policies = *settings.find(field::kPolicies);
  const Origin origin = *settings.origin_of(field::item(field::kPolicies, 0));
  for (std::size_t i = 0; i < settings.count(field::kPods); ++i) {
    const std::string pod = field::item(field::kPods, i);
    const Json* labels = settings.find(field::member(pod, "labels"));
    const Json own = labels != nullptr ? *labels : Json::array();
    settings.set(field::member(pod, "ingress_open"), is_open(policies, own, "limits_ingress", "ingress"),
                 origin);
    settings.set(field::member(pod, "egress_open"), is_open(policies, own, "limits_egress", "egress"),
                 origin);
  }
}

}  // namespace lockstep::config
