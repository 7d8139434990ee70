// The process of one attempt: it outlives the service that started it, runs the gang recorded and watched as
// `lockstep run` does, judges a failure, and leaves a last word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/job/job.h"

namespace lockstep::service {

// `program` is this very program, which the gang is a part of. Does nothing when the attempt was begun
// before.
Result<void> begin_attempt(const AttemptFolder& folder, const std::string& program);

// For one whose supervisor was lost while it runs on somewhere else.
Result<void> adopt_attempt(const AttemptFolder& folder, const std::string& program);

// What the supervisor wrote last, with the final records of the ranks. None: it is still at work, or was
// lost.
struct AttemptEnd {
  bool succeeded = false;
  int exit_status = 0;
  EndReason reason = {};
  base::Json findings = {};  // lockstep-findings-v1; null: nothing was judged
  std::int64_t ended_ms = 0;
};
std::optional<AttemptEnd> read_attempt_end(const AttemptFolder& folder);
// lockstep-findings-v1 of what was said of the attempt before it started; null while nothing was.
base::Json read_check(const AttemptFolder& folder);
std::vector<RankEnd> read_rank_ends(const AttemptFolder& folder, int workers);

// Those that run too, with their last sign of life.
std::vector<RankEnd> read_ranks(const AttemptFolder& folder, int workers);

// The rank that ended badly, by itself, before all others.
std::optional<int> first_failed(const std::vector<RankEnd>& ranks);

}  // namespace lockstep::service
