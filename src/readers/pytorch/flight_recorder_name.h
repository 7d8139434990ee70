// What the flight recorder's profiling_name says: "nccl:_all_gather_base", "nccl:send 0->1".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/words.h"

namespace lockstep::readers {

struct FlightRecorderName {
  std::string backend;  // nccl, gloo ...; empty when the name does not tell
  std::string name;     // the operation as the recorder calls it, without backend and ranks
  model::Operation operation = model::Operation::kUnknown;
  bool is_point_to_point = false;
  // It ends a coalesced region, and its state is that of every operation in it.
  bool closes_region = false;
  // Ranks in the group, of a send or receive: who recorded it, and the other end.
  std::optional<int> own;
  std::optional<int> peer;
};

FlightRecorderName parse_flight_recorder_name(std::string_view profiling_name);

}  // namespace lockstep::readers
