// The body of a request for a job: any JSON is accepted or refused field by field, and what is accepted stays
// the same when it is written into the store and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "service/engine/cluster.h"
#include "service/job/resolve.h"
#include "service/job/spec_fields.h"
#include "service/store/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const auto request = base::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!request.ok()) return 0;
  service::DecodedSpec decoded = service::decode_spec(request.value());
  if (!decoded.faults.empty()) return 0;
  service::Job job;
  job.id = "job_00000000000000000000000000";
  job.spec = std::move(decoded.spec);
  service::OneMachine machine({8000, std::int64_t{1} << 34, 2});
  if (!service::resolve(job, machine).empty()) return 0;
  CHECK(job.per_worker.millicpus * job.spec.workers_min <= 8000, "nothing is accepted that has no room");
  const auto again = service::decode_job(service::encode_job(job));
  CHECK(again.ok(), "what the store writes can be read");
  CHECK(service::encode_job(again.value()) == service::encode_job(job), "and is the same");
  return 0;
}
