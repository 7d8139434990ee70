// Which remedy belongs to which finding. A finding that is not in the table is a matter for the user.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::service {

enum class Remedy : std::uint8_t {
  kNone,         // the user's own fault: the same would happen again
  kOtherPorts,   // every attempt has its own
  kOwnNetwork,   // what the user said of interfaces is forgotten; the service chooses
  kOtherNodes,   // without those that are broken
  kMoreMemory,   // of the host, if the user allows it
  kSharedSpace,  // a larger /dev/shm of the attempt's own
  kAgain,        // nothing was wrong with it
  kUnknown       // nothing is known of the cause
};

// Of a finding's code.
Remedy remedy_for(std::string_view code);

}  // namespace lockstep::service
