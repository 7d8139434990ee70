// A collective, send or receive of a rank of a running job.
#pragma once

#include <cstdint>

#include "model/words.h"

namespace lockstep::watch {

struct LiveCall {
  std::uint32_t communicator = 0;  // its number in Communicators
  std::uint64_t sequence = 0;
  model::Operation operation{};
  std::int32_t peer = -1;       // root, source or destination as a rank of the communicator
  std::int64_t begin_ns = 0;    // wall clock of its host
  std::uint64_t signature = 0;  // what must agree between the members
  bool is_repeated = false;     // one of several that share a number: coalesced
  bool is_async = false;        // the caller did not wait for it
  bool is_awaited = true;       // a posted one only from the wait for it on
};

}  // namespace lockstep::watch
