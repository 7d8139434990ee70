// Every reader of stack dumps survives any text.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "readers/stacks/stacks.h"

namespace {

using namespace lockstep::readers;

constexpr struct {
  bool (*recognises)(const Source&);
  lockstep::model::Job (*read)(const Source&);
} kReaders[] = {
    {recognises_py_spy_json, read_py_spy_json},
    {recognises_py_spy_text, read_py_spy_text},
    {recognises_pystack, read_pystack},
    {recognises_faulthandler, read_faulthandler},
};

}  // namespace

// Read whether or not it is recognised: a reader must not rely on having been asked first.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Source source{.name = "fuzz", .path = "fuzz/attempt_1/2/stderr.log", .bytes = bytes};
  for (const auto& reader : kReaders) {
    (void)reader.recognises(source);
    const lockstep::model::Job job = reader.read(source);
    CHECK(job.sources.size() == 1, "a job has one source");
    for (const auto& history : job.ranks) {
      for (const auto& snapshot : history.snapshots) {
        CHECK(snapshot.stack == lockstep::model::StackId::kNone ||
                  static_cast<std::size_t>(snapshot.stack) < job.stacks.size(),
              "a stack that is named is there");
      }
    }
  }
  return 0;
}
