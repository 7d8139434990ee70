// Dumps in JSON and the debug server's snapshots: any text, in every format that reads it.
#include <cstdint>
#include <string_view>

#include "readers/pytorch/flight_recorder_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lockstep::readers::Source source{
      .name = "rank_1", .path = "/rank_1", .bytes = {reinterpret_cast<const char*>(data), size}};
  const lockstep::model::Job job = lockstep::readers::read_flight_recorder_json(source);
  if (job.ranks.size() != 1 || job.ranks.front().events.size() > size) __builtin_trap();
  (void)lockstep::readers::is_flight_recorder_json(source);
  (void)lockstep::readers::is_debug_server_snapshot(source);
  (void)lockstep::readers::read_debug_server_snapshot(source);
  (void)lockstep::readers::read_unreadable_dump(source);
  return 0;
}
