#include "top/history.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace lockstep::top {
namespace {

constexpr std::string_view kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

void keep(History::Samples& samples, double value) {
  samples.push_back(std::isfinite(value) ? static_cast<float>(std::max(value, 0.0)) : 0.0F);
  if (samples.size() > History::kSamples) samples.pop_front();
}

std::string_view bar_for(float value, float top) {
  const auto height = static_cast<std::size_t>(std::lround(value / top * (std::size(kBars) - 1)));
  return kBars[std::min(height, std::size(kBars) - 1)];
}

}  // namespace

void History::add(const watch::Snapshot& snapshot) {
  for (const watch::RankView& view : snapshot.ranks) {
    if (view.steps_per_second) keep(of_rank_[view.rank], *view.steps_per_second);
  }
  if (const auto rate = job_step_rate(snapshot)) keep(of_job_, *rate);
}

const History::Samples& History::of_rank(int rank) const {
  static const Samples kNone;
  const auto found = of_rank_.find(rank);
  return found == of_rank_.end() ? kNone : found->second;
}

std::optional<double> job_step_rate(const watch::Snapshot& snapshot) {
  std::vector<double> rates;
  for (const watch::RankView& view : snapshot.ranks) {
    if (view.steps_per_second && std::isfinite(*view.steps_per_second))
      rates.push_back(*view.steps_per_second);
  }
  if (rates.empty()) return std::nullopt;
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>((rates.size() - 1) / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

std::string sparkline(const History::Samples& samples, int columns) {
  const std::size_t shown = std::min(samples.size(), static_cast<std::size_t>(std::max(columns, 0)));
  const auto from = samples.end() - static_cast<std::ptrdiff_t>(shown);
  const float top = std::max(1e-9F, shown == 0 ? 0.0F : *std::max_element(from, samples.end()));
  std::string out;
  for (auto sample = from; sample != samples.end(); ++sample) out += bar_for(*sample, top);
  return out;
}

}  // namespace lockstep::top
