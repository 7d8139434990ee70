// The rates of the last polls, for the small curves. Where nothing tells of steps, calls are counted instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "run/watch/snapshot.h"

namespace lockstep::top {

class History {
 public:
  static constexpr std::size_t kSamples = 60;
  using Samples = std::deque<float>;  // oldest first

  void add(const watch::Snapshot& snapshot);

  const Samples& of_rank(int rank) const;
  const Samples& of_job() const { return of_job_; }

  // Issued between the last two polls.
  std::optional<double> calls_per_second(int rank) const;
  // The middle one of the ranks.
  std::optional<double> job_calls_per_second() const { return job_call_rate_; }

 private:
  struct Calls {
    std::uint64_t count = 0;
    std::int64_t at_ns = 0;
    std::optional<double> per_second;
  };

  void count_calls(const watch::Snapshot& snapshot);

  std::unordered_map<int, Calls> calls_;
  std::optional<double> job_call_rate_;
  std::unordered_map<int, Samples> of_rank_;
  Samples of_job_;
};

// The middle one of the ranks that have a rate: ranks of a synchronous job step together.
std::optional<double> job_step_rate(const watch::Snapshot& snapshot);

// The newest samples as "▁▂▅█", from zero to the largest, at most `columns` of them.
std::string sparkline(const History::Samples& samples, int columns);

}  // namespace lockstep::top
