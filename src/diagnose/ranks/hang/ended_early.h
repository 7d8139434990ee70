// A missing rank that was through with its steps: the commonest reason of all, and the easiest to mend.
#pragma once

#include "diagnose/ranks/correctness/uneven_steps.h"
#include "model/finding.h"

namespace lockstep::ranks {

// Makes a finding about missing ranks say so when all of them ended after fewer steps than the others.
void explain_by_uneven_steps(const UnevenSteps& uneven, model::Finding& finding);

}  // namespace lockstep::ranks
