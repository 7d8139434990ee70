// Answers to the page: itself, the report of an attempt, a job once more.
#pragma once

#include <optional>
#include <string>

#include "service/api/api.h"
#include "service/http/message.h"
#include "service/job_service.h"

namespace lockstep::service {

Response page_answer();

// The report of an attempt (the last when none is named) as a file; 202 while it is being made.
Response report_answer(JobService& service, const Job& job, const std::optional<std::string>& attempt);

// `body` is empty or a JSON object with the environment of the new job.
Response retry_answer(JobService& service, const Job& job, const std::string& owner, const std::string& body);

// What a job left behind, over the API: a list, and the bytes of each.

Response list_artifacts(Call& call);
Response download_artifact(Call& call);

}  // namespace lockstep::service
