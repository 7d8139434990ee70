// Why a rank is slow: what its process waited for between two looks, compared with those of the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/finding.h"
#include "run/evidence/process_usage.h"
#include "run/watch/live_job.h"

namespace lockstep::watch {

enum class SlowCause : std::uint8_t {
  kUnknown,
  kThrottled,    // the limit of its control group
  kCrowded,      // other processes have the cores
  kSwapping,     // memory is short: pages are read from disk again and again
  kDisk,         // reads and writes
  kDataLoading,  // it waits for its input pipeline
  kMoreWork,     // it computes more than the others
  kSleeps        // it does nothing: a lock, a remote service, a sleep
};

// Shares of the time between two looks.
struct SlowShares {
  double cpu = 0;
  double core_wait = 0;
  double disk_wait = 0;
  double throttled = 0;
  double data_wait = 0;
  double in_calls = 0;  // in which it waits for others
  double major_faults_a_second = 0;
};

// Of the slow rank, and the median of the others.
SlowCause cause_of(const SlowShares& slow, const SlowShares& others);

class SlowCauses {
 public:
  // Takes the counters of all ranks of this host.
  void look(const LiveJob& job);

  // Adds why, where the counters tell, and puts the fixes first that help.
  void explain(model::Finding& finding) const;

 private:
  struct Look {
    std::int64_t time_ns = 0;
    evidence::ProcessUsage usage;
    double data_wait = 0;
    double in_calls = 0;
  };

  std::optional<SlowShares> shares_of(int rank) const;
  SlowShares median_without(int rank) const;

  std::map<int, std::vector<Look>> looks_;  // of each rank the last few, oldest first
};

}  // namespace lockstep::watch
