// Any file gives a job whose ids are all its own, in time and memory that fit the file.
#include "check_job.h"
#include "readers/nccl/ras.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const lockstep::readers::Source source{.name = "fuzz", .path = "fuzz", .bytes = bytes};
  (void)lockstep::readers::recognises_ras_json(source);
  lockstep::fuzz::check_job(lockstep::readers::read_ras_json(source), size);
  return 0;
}
