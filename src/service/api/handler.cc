#include "service/api/handler.h"

#include <fmt/format.h>

#include "service/http/problem.h"
#include "service/job/job_id.h"

namespace lockstep::service {

Response json_answer(int status, const base::Json& json) {
  return {.status = status, .body = base::to_text(json, base::JsonLayout::kIndented)};
}

Response failed(const Error& error) {
  return answer(Problem{
      .status = 500, .code = "internal", .title = error.what, .detail = error.why, .hint = error.hint});
}

Response bad_query(std::string_view name, std::string_view why) {
  return answer(Problem{.status = 400,
                        .code = "bad_query",
                        .title = "A parameter of the query is wrong",
                        .detail = fmt::format("{}: {}", name, why)});
}

Response no_such_job() {
  return answer(Problem{.status = 404,
                        .code = "job_not_found",
                        .title = "There is no such job",
                        .hint = "lockstep jobs lists those there are"});
}

Response job_is_elsewhere(const Job& job) {
  return answer(Problem{.status = 421,
                        .code = "job_elsewhere",
                        .title = "Another service has the files of this job",
                        .detail = job.service,
                        .hint = "ask that service"});
}

std::optional<std::string> parameter(const Call& call, const std::string& name) {
  const auto found = call.request.query.find(name);
  return found == call.request.query.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> header(const Call& call, const std::string& name) {
  const auto found = call.request.headers.find(name);
  return found == call.request.headers.end() ? std::nullopt : std::optional(found->second);
}

Result<std::optional<Job>> job_of(Call& call) {
  if (!is_job_id(call.id)) return std::optional<Job>();
  auto job = TRY(call.service.store().job(call.id));
  if (job && job->owner != call.principal.owner && !call.principal.is_admin) job.reset();
  return job;
}

}  // namespace lockstep::service
