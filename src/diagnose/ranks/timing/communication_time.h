// Where the time of a job goes: work, transfer, or waiting for others.
#pragma once

#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/timing/straggler.h"
#include "diagnose/ranks/timing/timings.h"
#include "model/finding.h"

namespace lockstep::ranks {

// Shares of the time, each the middle over the parts of a rank's run, so that a long start or one accident
// does not count.
struct TimeShares {
  double exposed = 0;        // blocked for others: in synchronising collectives and receives
  double transfer = 0;       // of that, what the last to come needs as well
  double communication = 0;  // blocked in any communication: 1 - this is work

  double waiting() const { return exposed - transfer; }
  bool operator==(const TimeShares&) const = default;
};

struct RankTime {
  int rank = 0;
  double span_ns = 0;  // from its first call to the end of its last
  TimeShares shares;

  bool operator==(const RankTime&) const = default;
};

struct CommunicationTime {
  std::vector<RankTime> ranks;  // ascending; those with enough collectives to tell
  TimeShares middle;            // over the ranks, each share by itself
  double span_ns = 0;           // likewise

  // What the job loses against ranks that need not communicate.
  double scaling_loss() const { return middle.communication; }
  bool operator==(const CommunicationTime&) const = default;
};

CommunicationTime measure_communication_time(const model::Job& job, const Alignment& alignment,
                                             const Timings& timings);

// None where the slow ranks explain it, or the evidence is too short to tell.
std::optional<model::Finding> finding_of(const model::Job& job, const CommunicationTime& time,
                                         const Stragglers& stragglers);

}  // namespace lockstep::ranks
