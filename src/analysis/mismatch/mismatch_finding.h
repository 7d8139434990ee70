// Calls that do not fit together, as findings a person reads.
#pragma once

#include "analysis/hang/point_to_point.h"
#include "analysis/mismatch/mismatch.h"
#include "analysis/mismatch/uneven_exchange.h"
#include "model/finding.h"

namespace lockstep::analysis {

model::Finding finding_of(const model::Job& job, const Mismatch& mismatch);
model::Finding finding_of(const model::Job& job, const UnevenExchange& exchange);
model::Finding finding_of(const model::Job& job, const MessageMismatch& mismatch);

}  // namespace lockstep::analysis
