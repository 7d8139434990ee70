// What to do about a code, without reading the rest of the catalogue: the build packs fixes and remedies into
// a small table, of which a code's own line alone is decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/fix.h"

namespace lockstep::catalogue {

// For findings that no pattern of the catalogue makes, in the order in which to try them. Empty for a code
// that has none.
std::vector<model::Fix> fixes_for(std::string_view code);
std::vector<std::string_view> codes_with_fixes();

// What the service may change before it tries a failed job again.
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

// The code's own remedy, or else that of its family; kNone for a code that has neither.
Remedy remedy_for(std::string_view code);

}  // namespace lockstep::catalogue
