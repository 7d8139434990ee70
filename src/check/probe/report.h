// A probe for people and for programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "check/probe/probing.h"

namespace lockstep::probe {

// `names` of the hosts, in their order: masked ones where that is asked for.
std::string to_text(const Probing& probing, const std::vector<std::string>& names);
base::Json to_json(const Probing& probing, const std::vector<std::string>& names, bool shows_addresses);

}  // namespace lockstep::probe
