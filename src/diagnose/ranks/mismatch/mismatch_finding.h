// Calls that do not fit together, as findings a person reads.
#pragma once

#include "diagnose/ranks/hang/point_to_point.h"
#include "diagnose/ranks/mismatch/mismatch.h"
#include "diagnose/ranks/mismatch/uneven_exchange.h"
#include "model/finding.h"

namespace lockstep::ranks {

model::Finding finding_of(const model::Job& job, const Mismatch& mismatch);
model::Finding finding_of(const model::Job& job, const UnevenExchange& exchange);
model::Finding finding_of(const model::Job& job, const MessageMismatch& mismatch);

}  // namespace lockstep::ranks
