// Why ranks do not find each other: what each was told about the job, compared, and which processes are
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::ranks {

// Its record is whole from the beginning and holds no communication, and nothing says that it ended by
// itself.
bool stands_at_the_start(const model::RankHistory& history);

// Ranks that were told different world sizes, meeting places or clusters: they wait for each other for ever.
// To be asked of a job that does not get on: hosts may have several names, which is no fault in one that
// does.
std::optional<model::Finding> find_set_up_disagreement(const model::Job& job);

// Two live processes that both say that they are this rank of one job.
struct SameRankTwice {
  int rank = 0;
  std::int64_t first_pid = 0;
  std::int64_t second_pid = 0;
};
model::Finding finding_of(const model::Job& job, const SameRankTwice& twice);

// A rank for which those that are there wait, and what is known of its process.
enum class AbsentProcess : std::uint8_t {
  kUnknown,     // it may be on another host
  kNotStarted,  // no process of the job is this rank, and the launcher starts no more
  kEnded,       // there was one
  kThere        // it runs, and has not begun to communicate
};
struct AbsentRank {
  int rank = 0;
  AbsentProcess process = AbsentProcess::kUnknown;
  std::int64_t pid = 0;  // of kThere
};

// `waited_ns`: how long the others have waited.
model::Finding finding_of(const model::Job& job, const std::vector<AbsentRank>& absent,
                          std::int64_t waited_ns);

}  // namespace lockstep::ranks
