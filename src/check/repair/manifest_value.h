// A value of a Kubernetes manifest, set in its text.
#pragma once

#include <string>

#include "check/repair/situation.h"

namespace lockstep::repair {

// "dns_policy", "subdomain" and "mesh" (taken away) of an item of field::kPods, "headless" of
// field::kServices, "ingress" and "egress" of field::kPolicies (opened to the pods that the policy selects).
// False: it has no place that can be edited.
bool set_manifest_value(Situation& situation, const config::Settings& launch, const std::string& path,
                        const std::string& value);

}  // namespace lockstep::repair
