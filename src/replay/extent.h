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
  std::uint64_t steps = 0;                   // that ended in the recorded run
  std::size_t calls = 0;                     // that it made
  std::optional<record::PayloadCall> first;  // the first call whose result is not there; none: all are
};
Extent extent_of(const record::Payload& rank, const Job& job);

// "all of it (8 steps, 120 calls)"
std::string in_words(const Extent& extent);

}  // namespace lockstep::replay
