// The pickle machine and the meaning of what it finds survive any bytes.
#include <cstdint>
#include <string_view>

#include "readers/pytorch/flight_recorder_pickle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lockstep::readers::Source source{
      .name = "rank_1", .path = "/rank_1", .bytes = {reinterpret_cast<const char*>(data), size}};
  const lockstep::model::Job job = lockstep::readers::read_flight_recorder_pickle(source);
  if (job.ranks.size() != 1 || job.ranks.front().rank.number != 1) __builtin_trap();
  if (job.ranks.front().events.size() > size) __builtin_trap();
  (void)lockstep::readers::is_flight_recorder_pickle(source);
  return 0;
}
