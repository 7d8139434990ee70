// Answers that are more than a document: what a job prints, the page, reports, and what a job left behind.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/api/api.h"
#include "service/http/message.h"
#include "service/job_service.h"

namespace lockstep::service {

// What a job prints, from any position on, as it is printed or as far as it has come.
enum class LogForm : std::uint8_t { kEvents, kJsonLines, kText };

struct LogWish {
  std::string job_id;
  LogForm form = LogForm::kText;
  bool follows = false;
  std::optional<int> rank;
  int attempt = 1;            // to begin with
  std::int64_t position = 0;  // in it
  bool only_this_attempt = false;
};

// "2.1307": attempt and position, as the id of an event names them.
bool take_position(std::string_view id, LogWish& wish);

std::unique_ptr<BodySource> make_log_source(JobService& service, const LogWish& wish);

// Answers to the page: itself, the report of an attempt, a job once more.
Response page_answer();

// The report of an attempt (the last when none is named) as a file; 202 while it is being made.
Response report_answer(JobService& service, const Job& job, const std::optional<std::string>& attempt);

// `body` is empty or a JSON object with the environment of the new job.
Response retry_answer(JobService& service, const Job& job, const std::string& owner, const std::string& body);

// What a job left behind, over the API: a list, and the bytes of each.

Response list_artifacts(Call& call);
Response download_artifact(Call& call);

}  // namespace lockstep::service
