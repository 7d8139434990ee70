// A recording with any content becomes a job that keeps the promises of readers.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "hostile_recording.h"
#include "readers/lockstep/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = lockstep::fuzz::file_from(data, size);
  const lockstep::readers::Source source{.name = "fuzz", .path = "fuzz/rank_0.lockstep", .bytes = file};
  if (!lockstep::readers::recognises_recording(source)) return 0;
  const lockstep::model::Job job = lockstep::readers::read_recording(source);
  CHECK(job.sources.size() == 1, "a job has one source");
  for (const auto& history : job.ranks) {
    CHECK(history.events.size() <= file.size() / 24, "no event without a record");
    for (const auto& event : history.events) {
      CHECK(event.position != 0, "every event says where it stands");
    }
  }
  return 0;
}
