// How far a rank's training is, in the words in which people know it: "epoch 2, batch 37".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job.h"

namespace lockstep::ranks {

// The part of a rank's history in which it trains: from its first recorded step to its last.
struct StepSpan {
  std::size_t first = 0;  // index of the event of the first step, and
  std::size_t last = 0;   // of the last
  std::uint64_t count = 0;
};

std::optional<StepSpan> step_span_of(const model::RankHistory& history);

// "in epoch 2, batch 37"; empty where no epoch was recorded. A batch is counted from the first step of its
// epoch.
std::string training_position_of(const model::RankHistory& history);

// "Rank 1 is in epoch 2, batch 36; ranks 0, 2 are in epoch 2, batch 37. ", those of whom nothing is known
// left out.
std::string training_positions_in_words(const model::Job& job, const std::vector<int>& ranks);

}  // namespace lockstep::ranks
