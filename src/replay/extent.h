// How far a recorded rank can be replayed: up to the end of the last step whose results are all there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "base/result.h"
#include "record/payload.h"

namespace lockstep::replay {

// The payload files of one recording.
struct Job {
  std::vector<record::Payload> ranks;  // by rank; of each the last restart
  std::vector<std::string> limits;     // what is missing
};
Result<Job> open_job(const std::filesystem::path& recording);

const record::Payload* find_rank(const Job& job, int rank);

struct Extent {
  std::uint64_t begin = 0;                          // steps that had ended before a window; 0: from the start
  std::uint64_t steps = 0;                          // that ended in the recorded run
  std::size_t calls = 0;                            // that it made
  std::optional<record::PayloadCall> first;         // the first call whose result is not there; none: all are
  std::optional<record::PayloadStop> stopped = {};  // why it is not
};
Extent extent_of(const record::Payload& rank, const Job& job);

// "all of it (8 steps, 120 calls)"
std::string in_words(const Extent& extent);

// The last checkpoint that any rank saved, from which a replay of the rank can go on.
std::optional<record::PayloadCheckpoint> last_checkpoint(const record::Payload& rank, const Job& job);

// What a replay is compared with whose script resumes after so many steps: how the rank began, and what came
// after them.
record::Payload from_step(record::Payload rank, std::uint64_t step);

}  // namespace lockstep::replay
