#include "service/admission.h"

#include "service/job/job_id.h"
#include "service/job/resolve.h"

namespace lockstep::service {

Submitted admissible(const Submission& submission, const Clusters& clusters) {
  Submitted submitted;
  DecodedSpec decoded = decode_spec(submission.request);
  submitted.faults = std::move(decoded.faults);
  Job& job = submitted.job;
  job.spec = std::move(decoded.spec);
  job.engine = job.spec.engine.value_or(clusters.usual);
  if (submitted.faults.empty() && !clusters.by_engine.contains(job.engine))
    submitted.faults = {{"/engine", "this service has none of that kind"}};
  if (submitted.faults.empty()) submitted.faults = resolve(job, clusters.of(job));
  if (!submitted.faults.empty()) {
    submitted.refusal = Refusal::kInvalid;
    return submitted;
  }
  job.owner = submission.owner;
  job.created_ms = now_in_ms();
  job.id = make_job_id(job.created_ms);
  return submitted;
}

}  // namespace lockstep::service
