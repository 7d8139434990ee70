// What the functions behind the routes share: reading a call, and the answers that many of them give.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/json.h"
#include "service/api/api.h"
#include "service/http/message.h"
#include "service/job/job.h"
#include "service/job_service.h"

namespace lockstep::service {

Response json_answer(int status, const base::Json& json);
Response failed(const Error& error);
Response bad_query(std::string_view name, std::string_view why);
// A job of someone else is not there: its existence is nobody's business.
Response no_such_job();
// What a job prints and leaves behind lies with the service that took it.
Response job_is_elsewhere(const Job& job);

std::optional<std::string> parameter(const Call& call, const std::string& name);
std::optional<std::string> header(const Call& call, const std::string& name);

// The body of a request, within limits that are checked before it is parsed: there is one thread, and all
// others wait for it.
Result<base::Json> parse_request(std::string_view body);

// The job that the path names, if this principal may see it.
Result<std::optional<Job>> job_of(Call& call);

template <typename Use>
Response with_job(Call& call, Use use) {
  auto job = job_of(call);
  if (!job.ok()) return failed(job.error());
  if (!job.value()) return no_such_job();
  return use(std::move(*job.value()));
}

// The same, if its files are here.
template <typename Use>
Response with_job_here(Call& call, Use use) {
  return with_job(call, [&](const Job& job) {
    return job.service == call.service.store().service() ? use(job) : job_is_elsewhere(job);
  });
}

// What is answered to whoever submitted a job.

Response answer_to(const Submitted& done);

// Jobs, attempts and events as the API shows them.

// "uid:1000" is who came through the socket: people know them by their name. Where names come from a server
// of the network, that server is asked once for each, since the service stands still while it answers. Not
// for use by several threads at once.
class OwnerNames {
 public:
  using LookUp = std::function<std::string(uid_t)>;  // empty: nobody is called so
  explicit OwnerNames(LookUp look_up) : look_up_(std::move(look_up)) {}
  std::string name_of(const std::string& owner);

 private:
  LookUp look_up_;
  std::map<uid_t, std::string> known_;
};

base::Json view_of(const Job& job);
base::Json view_of(const Attempt& attempt);
base::Json view_of(const Event& event);

// The step (or epoch) and the loss that a running job printed last; null where it says nothing of the kind.
base::Json progress_of(const Call& call, const Job& job);

// Answers that are more than a document: what a job prints, the page, reports, and what a job left behind.

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
