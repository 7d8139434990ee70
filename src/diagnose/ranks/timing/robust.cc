#include "diagnose/ranks/timing/robust.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ranks {
namespace {

constexpr double kTrimmedShare = 0.2;

// How much neighbours resemble each other, -1 to 1, once wild values are pulled to the bounds.
double resemblance_of_neighbours(std::span<const double> values, double low, double high) {
  double mean = 0;
  for (const double value : values) mean += std::clamp(value, low, high);
  mean /= static_cast<double>(values.size());
  double together = 0;
  double alone = 0;
  double before = 0;
  for (const double value : values) {
    const double now = std::clamp(value, low, high) - mean;
    together += now * before;
    alone += now * now;
    before = now;
  }
  return alone > 0 ? together / alone : 0;
}

}  // namespace

double lower_median(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

MedianOfOthers::MedianOfOthers(std::span<double> values) : is_even_(values.size() % 2 == 0) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  at_ = *middle;
  below_ = *std::max_element(values.begin(), middle);
  above_ = is_even_ ? at_ : *std::min_element(middle + 1, values.end());
}

double MedianOfOthers::without(double value) const {
  if (is_even_) return value >= at_ ? below_ : at_;
  if (value == at_) return (below_ + above_) / 2;
  return value > at_ ? (below_ + at_) / 2 : (at_ + above_) / 2;
}

double Centre::significance() const {
  if (value == 0) return 0;
  return error > 0 ? value / error : std::copysign(std::numeric_limits<double>::infinity(), value);
}

// The trimmed mean with the error that Tukey and McLaughlin give it (Technometrics 5, 1963): nearly as sharp
// as the mean where values are well behaved, and a fifth of them may be anything.
Centre trimmed_centre(std::span<const double> values) {
  if (values.size() < 3) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  const auto cut = static_cast<std::size_t>(kTrimmedShare * count);
  const double low = sorted[cut];
  const double high = sorted[sorted.size() - 1 - cut];
  double sum = 0;
  for (std::size_t at = cut; at < sorted.size() - cut; ++at) sum += sorted[at];
  const double kept = static_cast<double>(sorted.size() - 2 * cut);
  double clamped_mean = 0;
  for (const double value : sorted) clamped_mean += std::clamp(value, low, high);
  clamped_mean /= count;
  double squares = 0;
  for (const double value : sorted) squares += std::pow(std::clamp(value, low, high) - clamped_mean, 2);
  const double alike = std::clamp(resemblance_of_neighbours(values, low, high) + 3 / count, 0.0, 0.9);
  const double error = std::sqrt(squares / (count - 1)) * std::sqrt(count) / kept;
  return {.value = sum / kept, .error = error * std::sqrt((1 + alike) / (1 - alike))};
}

}  // namespace lockstep::ranks
