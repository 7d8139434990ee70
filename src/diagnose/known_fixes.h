// The fixes for a code, whoever finds it: patterns in logs, or the analysis of ranks.
#pragma once

#include <vector>

#include "model/fix.h"
#include "symptoms/symptom.h"

namespace lockstep::diagnose {

std::vector<model::Fix> fixes_of(const symptoms::Symptom& symptom);

}  // namespace lockstep::diagnose
