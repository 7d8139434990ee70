// Progress lines of a training loop as numbers: how fast it goes, and how its loss moves.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/logs/line.h"

namespace lockstep::logs {

struct ProgressPoint {
  double value = 0;
  LineSpan line;
};
using Progress = std::vector<ProgressPoint>;

// Steps, samples or the like per second; step times are turned round.
Progress rates_in(std::string_view bytes, std::size_t begin, std::size_t end);
Progress losses_in(std::string_view bytes, std::size_t begin, std::size_t end);

// The line from which on the rate is far below what it was, and stays there.
std::optional<LineSpan> where_rate_fell(const Progress& rates);
// The line from which on the loss is far above what it had come down to, and stays there.
std::optional<LineSpan> where_loss_rose(const Progress& losses);
// The last line of `last` where losses there are a hundred times those of `first`: a diverging loss grows by
// a factor in each step, a noisy one does not.
std::optional<LineSpan> where_loss_grew(const Progress& first, const Progress& last);

}  // namespace lockstep::logs
