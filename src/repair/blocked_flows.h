// The connections of a plan that do not come about, one by one.
#pragma once

#include <functional>

#include "network/reach_hosts.h"
#include "preflight/required_flows.h"

namespace lockstep::repair {

using OnBlocked = std::function<void(const preflight::RequiredFlow&, const network::FlowVerdict&)>;

void each_blocked(const preflight::FlowPlan& plan, const network::ReachHosts& hosts, const OnBlocked& found);

}  // namespace lockstep::repair
