// The step rates of the last polls, for the small curves.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "watch/snapshot.h"

namespace lockstep::top {

class History {
 public:
  static constexpr std::size_t kSamples = 60;
  using Samples = std::deque<float>;  // oldest first

  void add(const watch::Snapshot& snapshot);

  const Samples& of_rank(int rank) const;
  const Samples& of_job() const { return of_job_; }

 private:
  std::unordered_map<int, Samples> of_rank_;
  Samples of_job_;
};

// The middle one of the ranks that have a rate: ranks of a synchronous job step together.
std::optional<double> job_step_rate(const watch::Snapshot& snapshot);

// The newest samples as "▁▂▅█", from zero to the largest, at most `columns` of them.
std::string sparkline(const History::Samples& samples, int columns);

}  // namespace lockstep::top
