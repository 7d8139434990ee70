#include "service/api/submit_answer.h"

#include <fmt/format.h>

#include "service/api/views.h"
#include "service/http/problem.h"

namespace lockstep::service {

Response answer_to(const Submitted& done) {
  switch (done.refusal) {
    case Refusal::kInvalid:
      return answer(
          Problem{.status = 422,
                  .code = "job_refused",
                  .title = "This job cannot run",
                  .detail = fmt::format("{} {}", done.faults.front().pointer, done.faults.front().detail),
                  .errors = done.faults});
    case Refusal::kOtherBody:
      return answer(Problem{.status = 422,
                            .code = "idempotency_key_reused",
                            .title = "This Idempotency-Key was used for another request"});
    case Refusal::kDeleted:
      return answer(Problem{.status = 410,
                            .code = "job_deleted",
                            .title = "The job of this Idempotency-Key was deleted",
                            .hint = "use a new key"});
    case Refusal::kNone:
      break;
  }
  Response response{.status = 201, .body = base::to_text(view_of(done.job), base::JsonLayout::kIndented)};
  response.headers.emplace_back("Location", "/v1/jobs/" + done.job.id);
  return response;
}

}  // namespace lockstep::service
