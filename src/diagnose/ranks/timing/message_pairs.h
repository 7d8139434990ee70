// Sends and the receives they belong to, and how long each message was on its way.
//
// Who comes last to a message waits for nobody, so the shorter of the two calls is the transfer. A send that
// returns before the data has arrived makes it look fast: then nothing is found, not something wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/ranks/align.h"

namespace lockstep::ranks {

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

}  // namespace lockstep::ranks
