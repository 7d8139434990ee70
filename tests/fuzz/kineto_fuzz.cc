// The trace reader survives any bytes, and every event it gives names things that are there.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "readers/pytorch/kineto.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using lockstep::readers::Source;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Source source{.name = "fuzz", .path = "fuzz/trace.json", .bytes = bytes};
  (void)lockstep::readers::recognises_kineto(source);
  const lockstep::model::Job job = lockstep::readers::read_kineto(source);
  CHECK(job.sources.size() == 1, "a job has one source");
  for (const auto& history : job.ranks) {
    for (const auto& event : history.events) {
      CHECK(event.kind == lockstep::model::EventKind::kActivity ||
                static_cast<std::size_t>(event.collective) < job.collectives.size(),
            "a collective that is named is there");
      CHECK(event.end_ns == lockstep::model::kNoTime || event.end_ns >= event.begin_ns, "time goes on");
    }
  }
  return 0;
}
