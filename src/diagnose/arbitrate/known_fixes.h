// The fixes for a code, whoever finds it: patterns in logs, or the analysis of ranks.
#pragma once

#include <vector>

#include "diagnose/logs/symptom.h"
#include "model/fix.h"

namespace lockstep::diagnose {

std::vector<model::Fix> fixes_of(const logs::Symptom& symptom);

}  // namespace lockstep::diagnose
