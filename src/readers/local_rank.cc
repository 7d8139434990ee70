#include "readers/local_rank.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::readers {

void number_by_local_rank(const Source& source, model::Rank& rank, model::Job& job) {
  if (rank.number != model::kUnknownRank || !rank.local_rank) return;
  rank.number = *rank.local_rank;
  std::string limit = fmt::format(
      "{}: tells only the local rank; ranks are right only if the job ran on one host", source.name);
  if (std::ranges::find(job.limits, limit) == job.limits.end()) job.limits.push_back(std::move(limit));
}

}  // namespace lockstep::readers
