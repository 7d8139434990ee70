// Ways between ranks on which data is much longer on its way than on others like them.
//
// A way is a pair of ranks, or a communicator as a whole. Others like it carry as much, over as many hosts.
#pragma once

#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/timing/timings.h"
#include "model/finding.h"

namespace lockstep::ranks {

struct SlowLink {
  std::vector<int> ranks;  // of a pair: from, to; of a communicator: its members, ascending
  bool is_pair = false;
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  double transfer_ns = 0;     // the middle of its transfers
  double usual_ns = 0;        // the middle over all ways like it
  std::size_t compared = 0;   // how many those are, without it
  std::size_t transfers = 0;  // on this one
  double lost_share = 0;      // of the time from its first transfer to its last
  double lost_ns = 0;         // in all
  EventPlace example;

  double times_slower() const { return transfer_ns / usual_ns; }
  bool operator==(const SlowLink&) const = default;
};

// Pairs first, then communicators, each ascending by ranks.
std::vector<SlowLink> find_slow_links(const model::Job& job, const Alignment& alignment,
                                      const Timings& timings);

// One for all of them; none for what cost the job next to nothing.
std::optional<model::Finding> finding_of(const model::Job& job, std::vector<SlowLink> links);

}  // namespace lockstep::ranks
