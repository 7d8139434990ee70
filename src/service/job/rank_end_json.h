// The final record of a rank as JSON: its wrapper writes it, the service keeps and shows it.
#pragma once

#include "base/json.h"
#include "service/job/job.h"

namespace lockstep::service {

base::Json encode_rank_end(const RankEnd& end);

// Throws nlohmann's exceptions on JSON of another shape: the callers catch them with those of the whole.
RankEnd decode_rank_end(const base::Json& json);

}  // namespace lockstep::service
