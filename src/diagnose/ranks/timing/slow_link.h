// Ways between ranks on which data is much longer on its way than on others like them.
//
// A way is a pair of ranks, or a communicator as a whole. Others like it carry as much, over as many hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/timing/timings.h"
#include "model/finding.h"

namespace lockstep::ranks {

// Sends and the receives they belong to, and how long each message was on its way.
//
// Who comes last to a message waits for nobody, so the shorter of the two calls is the transfer. A send that
// returns before the data has arrived makes it look fast: then nothing is found, not something wrong.

struct MessageLink {
  model::CommunicatorId communicator = model::CommunicatorId::kNone;
  std::uint32_t from = 0;  // indices into Job::ranks
  std::uint32_t to = 0;
  std::int64_t elements = 0;  // that each message has
  std::vector<double> transfers_ns;
  std::int64_t first_begin_ns = 0;  // of its receives, on the receiver's clock
  std::int64_t last_end_ns = 0;
  EventPlace last_receive;
};

// Messages are paired by number, or by order where neither end has lost any.
std::vector<MessageLink> message_links(const model::Job& job);

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
