// A value of a Kubernetes manifest, set in its text.
#pragma once

#include <string>

#include "check/repair/situation.h"

namespace lockstep::repair {

// "k8s/pods/0/dns_policy", "k8s/pods/0/subdomain", "k8s/pods/0/mesh" (taken away), "k8s/services/0/headless",
// "k8s/policies/0/ingress" and ".../egress" (opened to the pods that the policy selects). False: it has no
// place that can be edited.
bool set_manifest_value(Situation& situation, const config::Settings& launch, const std::string& path,
                        const std::string& value);

}  // namespace lockstep::repair
