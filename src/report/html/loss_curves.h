// The loss of each rank as the logs tell it: "step=4 loss=9.15", "Iteration 20: loss 0.31", "{'loss': 1.2}".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/rank.h"
#include "readers/log_file.h"

namespace lockstep::html {

struct LossPoint {
  std::int64_t step = 0;  // as printed; where no line says it, the number of the point
  double loss = 0;        // may be NaN or infinite

  bool operator==(const LossPoint&) const = default;
};

struct LossCurve {
  int rank = model::kUnknownRank;
  std::vector<LossPoint> points;  // in the order in which they were printed
};

// Ascending by rank. A rank with more than `most_points` keeps every second, third ... of them, and its last.
std::vector<LossCurve> loss_curves_in(std::span<const readers::LogFile> logs, std::size_t most_points);

}  // namespace lockstep::html
