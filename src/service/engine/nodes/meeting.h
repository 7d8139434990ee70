// The nodes of an attempt find each other: each leaves its place in the attempt's folder and waits until all
// have.
#pragma once

#include <chrono>
#include <vector>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/node_place.h"

namespace lockstep::service {

Result<void> tell_place(const AttemptFolder& folder, int node, const NodePlace& place);

// In the order of the nodes. Empty: not all are there yet.
std::vector<NodePlace> places_told(const AttemptFolder& folder, int nodes);

// An error names the nodes that did not come.
Result<std::vector<NodePlace>> wait_for_all(const AttemptFolder& folder, int nodes,
                                            std::chrono::milliseconds patience);

}  // namespace lockstep::service
