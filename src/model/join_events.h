// One rank's events from two inputs, such as two dumps of one ring or a dump and a trace.
#pragma once

#include <vector>

#include "model/event.h"

namespace lockstep::model {

// A collective both inputs tell of becomes one event that knows what either knew. The result is in the order
// of issue: of time where every event has one, else first `left`, then what only `right` has.
std::vector<Event> join_events(std::vector<Event> left, std::vector<Event> right);

}  // namespace lockstep::model
