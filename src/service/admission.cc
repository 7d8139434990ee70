#include "service/admission.h"

#include "service/job/job.h"
#include "service/job/resolve.h"
#include "service/running_set.h"
#include "service/store/seal.h"

namespace lockstep::service {
namespace {

NewJob new_job(const Job& job, const Submission& submission) {
  NewJob added{job, Event{0, job.id, job.created_ms, "queued", in_ranks(job.spec.workers_max)}, {}};
  if (submission.idempotency_key) added.key = {*submission.idempotency_key, sha256(submission.body)};
  return added;
}

Result<void> take_answer(const Admitted& admitted, Store& store, Submitted& submitted) {
  switch (admitted.admission) {
    case Admission::kAdded:
      return {};
    case Admission::kOtherBody:
      submitted.refusal = Refusal::kOtherBody;
      return {};
    case Admission::kKnown: {
      auto known = TRY(store.job(admitted.job_id));
      submitted.is_new = false;
      submitted.refusal = known ? Refusal::kNone : Refusal::kDeleted;
      if (known) submitted.job = std::move(*known);
      return {};
    }
  }
  return {};
}

}  // namespace

Submitted admissible(const Submission& submission, const Clusters& clusters, std::int64_t now_ms) {
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
  job.created_ms = now_ms;
  job.id = make_job_id(now_ms);
  return submitted;
}

Result<std::vector<Submitted>> admit(std::span<const Submission> submissions, const Clusters& clusters,
                                     Store& store, std::int64_t now_ms) {
  std::vector<Submitted> all;
  std::vector<std::size_t> places;
  std::vector<NewJob> wanted;
  for (const Submission& submission : submissions) {
    const Submitted& judged = all.emplace_back(admissible(submission, clusters, now_ms));
    if (judged.refusal != Refusal::kNone) continue;
    places.push_back(all.size() - 1);
    wanted.push_back(new_job(judged.job, submission));
  }
  if (wanted.empty()) return all;
  const std::vector<Admitted> admitted = TRY(store.add(wanted));
  for (std::size_t i = 0; i < admitted.size(); ++i) TRY(take_answer(admitted[i], store, all[places[i]]));
  return all;
}

}  // namespace lockstep::service
