// One verdict from two judges: what the ranks did, and what the job printed.
#pragma once

#include "model/finding.h"

namespace lockstep::diagnose {

// The order of the result is that of likelihood for the whole. What the ranks did proves who waited for whom;
// what was printed may say why. So an error of its own that some rank printed comes before the waiting it
// caused, and printed complaints about waiting give way to the proof.
model::Verdict combine(model::Verdict from_ranks, model::Verdict from_logs);

}  // namespace lockstep::diagnose
