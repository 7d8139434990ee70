#include "top/history.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::top {
namespace {

constexpr std::string_view kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

void keep(History::Samples& samples, double value) {
  samples.push_back(std::isfinite(value) ? static_cast<float>(std::max(value, 0.0)) : 0.0F);
  if (samples.size() > History::kSamples) samples.pop_front();
}

std::optional<double> middle_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string_view bar_for(float value, float top) {
  const auto height = static_cast<std::size_t>(std::lround(value / top * (std::size(kBars) - 1)));
  return kBars[std::min(height, std::size(kBars) - 1)];
}

}  // namespace

void History::add(const watch::Snapshot& snapshot) {
  if (snapshot.is_over) return;  // nothing changes any more, nor does the screen
  count_calls(snapshot);
  const auto step_rate = job_step_rate(snapshot);
  for (const watch::RankView& view : snapshot.ranks) {
    const auto rate = step_rate ? view.steps_per_second : calls_per_second(view.rank);
    if (rate) keep(of_rank_[view.rank], *rate);
  }
  if (const auto rate = step_rate ? step_rate : job_call_rate_) keep(of_job_, *rate);
}

// A restarted rank counts from the beginning: its first poll gives no rate.
void History::count_calls(const watch::Snapshot& snapshot) {
  std::vector<double> rates;
  for (const watch::RankView& view : snapshot.ranks) {
    Calls& calls = calls_[view.rank];
    const std::int64_t passed_ns = snapshot.taken_wall_ns - calls.at_ns;
    const bool has_rate = calls.at_ns > 0 && passed_ns > 0 && view.calls >= calls.count;
    calls.per_second.reset();
    if (has_rate) {
      calls.per_second = static_cast<double>(view.calls - calls.count) * 1e9 / static_cast<double>(passed_ns);
      rates.push_back(*calls.per_second);
    }
    calls.count = view.calls;
    calls.at_ns = snapshot.taken_wall_ns;
  }
  job_call_rate_ = middle_of(std::move(rates));
}

std::optional<double> History::calls_per_second(int rank) const {
  const auto found = calls_.find(rank);
  return found == calls_.end() ? std::nullopt : found->second.per_second;
}

const History::Samples& History::of_rank(int rank) const {
  static const Samples none;
  const auto found = of_rank_.find(rank);
  return found == of_rank_.end() ? none : found->second;
}

std::optional<double> job_step_rate(const watch::Snapshot& snapshot) {
  std::vector<double> rates;
  for (const watch::RankView& view : snapshot.ranks) {
    if (view.steps_per_second && std::isfinite(*view.steps_per_second))
      rates.push_back(*view.steps_per_second);
  }
  return middle_of(std::move(rates));
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
