// The process of one attempt, and the parts of the attempt that are processes below it. It outlives the
// service that started it, runs the gang recorded and watched as `lockstep run` does, judges a failure, and
// leaves a last word.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/plan.h"
#include "service/job/end_reason.h"
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
// One that is damaged is an end too, of a kind that nobody knows.
Result<std::optional<AttemptEnd>> read_attempt_end(const AttemptFolder& folder);
// lockstep-findings-v1 of what was said of the attempt before it started; null while nothing was.
base::Json read_check(const AttemptFolder& folder);
Result<std::vector<RankEnd>> read_rank_ends(const AttemptFolder& folder, int workers);

// Those that run too, with their last sign of life.
Result<std::vector<RankEnd>> read_ranks(const AttemptFolder& folder, int workers);

// Whether the final records of all ranks say that each ended well, by itself: a success, whatever became of
// those who watched.
bool all_ended_well(const std::vector<RankEnd>& ranks, int workers);

// The rank that ended badly, by itself, before all others.
std::optional<int> first_failed(const std::vector<RankEnd>& ranks);

// The parts of an attempt that are processes of their own, below its supervisor: a node, its gang, and a
// wrapper for each rank.

// The part of an attempt on one of its nodes, started there by the cluster's own launcher.
// Gives the exit status for the launcher; what went wrong before any rank ran is kept in the attempt's folder
// and goes to standard error.
int run_node(const AttemptFolder& folder, const std::string& program);

// Why the first of the nodes that could not start their ranks could not; empty: all could.
EndReason fault_of_nodes(const AttemptFolder& folder, int nodes);

// All ranks of an attempt on one node: started together, ended together.
// Gives the status of the rank that failed first, 0 when all ended well, 124 at the time limit.
int run_gang(const AttemptFolder& folder);

inline constexpr int kTimeLimitStatus = 124;

// The process that stands between the engine and one rank: it tells the rank where the others are, keeps what
// it prints, and leaves a final record of how it ended that nobody else had a hand in.

// Runs the rank to its end. Gives the status of the rank as a shell would.
int run_rank(const AttemptFolder& folder, const Plan& plan, int rank);

// What kept a rank from being started, as if it had printed it.
void say_for_rank(const AttemptFolder& folder, const Plan& plan, int rank, const std::string& words);

}  // namespace lockstep::service
