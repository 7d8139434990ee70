// The fixes for a code, whoever finds it: patterns in logs, or the analysis of ranks.
#pragma once

#include <vector>

#include "catalogue/symptom.h"
#include "model/fix.h"

namespace lockstep::diagnose {

std::vector<model::Fix> fixes_of(const catalogue::Symptom& symptom);

}  // namespace lockstep::diagnose
