// What a rank is told so that it finds the others: nothing of it comes from the user.
#pragma once

#include <string>
#include <vector>

#include "service/engine/plan.h"

namespace lockstep::service {

// `environment` with the variables of this rank, as "NAME=VALUE".
std::vector<std::string> with_rank(std::vector<std::string> environment, const Plan& plan, int rank);

// One that a rank is given whatever the user says of it.
bool is_the_services_own(const Plan& plan, const std::string& variable);

}  // namespace lockstep::service
