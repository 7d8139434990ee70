// What the NetworkPolicies of a manifest mean for its pods.
#pragma once

#include "config/settings.h"

namespace lockstep::config {

// Adds to each group of pods "ingress_open" and "egress_open": whether pods of the group may be reached by,
// and reach, each other on every port.
void derive_policies(Settings& settings);

}  // namespace lockstep::config
