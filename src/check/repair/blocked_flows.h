// The connections of a plan that do not come about, one by one.
#pragma once

#include <functional>

#include "check/flows/required_flows.h"
#include "network/reach.h"

namespace lockstep::repair {

using OnBlocked = std::function<void(const flows::RequiredFlow&, const network::FlowVerdict&)>;

void each_blocked(const flows::FlowPlan& plan, const network::ReachHosts& hosts, const OnBlocked& found);

}  // namespace lockstep::repair
