#include <algorithm>
#include <climits>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "service/api/api.h"
#include "service/api/handler.h"
#include "service/engine/attempt_supervisor.h"
#include "service/http/message.h"
#include "service/job/job.h"

namespace lockstep::service {
namespace {

using base::Json;

constexpr int kMaxInAPage = 500;
constexpr std::size_t kLongestKey = 255;

bool is_sound_key(std::string_view key) {
  const auto is_visible = [](unsigned char c) { return c >= '!' && c <= '~'; };
  return !key.empty() && key.size() <= kLongestKey && std::ranges::all_of(key, is_visible);
}

// What is wrong with a request before anybody looks at the job it describes.
std::optional<Response> refusal_of(const Call& call, const Result<Json>& json) {
  if (!json.ok()) {
    return answer(Problem{
        .status = 400, .code = "bad_json", .title = "The body is no JSON", .detail = json.error().why});
  }
  const auto key = header(call, "idempotency-key");
  if (key && !is_sound_key(*key)) {
    return answer(Problem{.status = 400,
                          .code = "bad_idempotency_key",
                          .title = "The Idempotency-Key is not 1 to 255 visible characters of ASCII"});
  }
  return std::nullopt;
}

std::vector<Response> submit_jobs(std::span<Call> calls) {
  std::vector<Response> responses(calls.size());
  std::vector<std::size_t> places;
  std::vector<Submission> submissions;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    auto json = parse_request(calls[i].request.body);
    if (auto refused = refusal_of(calls[i], json)) {
      responses[i] = std::move(*refused);
      continue;
    }
    places.push_back(i);
    submissions.push_back({calls[i].principal.owner, std::move(json).value(), calls[i].request.body,
                           header(calls[i], "idempotency-key")});
  }
  if (submissions.empty()) return responses;
  const auto submitted = calls.front().service.submit(submissions);
  for (std::size_t i = 0; i < places.size(); ++i) {
    responses[places[i]] = submitted.ok() ? answer_to(submitted.value()[i]) : failed(submitted.error());
  }
  return responses;
}

Response list_jobs(Call& call) {
  JobFilter filter;
  if (!call.principal.is_admin) filter.owner = call.principal.owner;
  if (const auto limit = parameter(call, "limit")) {
    const auto number = base::number_in<int>(*limit);
    if (!number || *number < 1 || *number > kMaxInAPage) {
      return bad_query("limit", fmt::format("must be from 1 to {}", kMaxInAPage));
    }
    filter.limit = *number;
  }
  if (const auto state = parameter(call, "state")) {
    filter.state = job_state_named(*state);
    if (!filter.state) return bad_query("state", "is none of the states");
  }
  if (const auto label = parameter(call, "label")) {
    const std::string_view name = base::word_of(*label, '=');
    if (name.empty() || name.size() >= label->size()) return bad_query("label", "must be name=value");
    filter.label = {std::string(name), label->substr(name.size() + 1)};
  }
  if (const auto cursor = parameter(call, "cursor")) {
    if (!is_job_id(*cursor)) return bad_query("cursor", "must be the next_cursor of another page");
    filter.after_id = *cursor;
  }
  const auto jobs = call.service.store().jobs(filter);
  if (!jobs.ok()) return failed(jobs.error());
  Json list = Json::array();
  for (const Job& job : jobs.value()) {
    list.push_back(view_of(job));
    list.back()["progress"] = progress_of(call, job);
  }
  const bool may_have_more = static_cast<int>(jobs.value().size()) == filter.limit;
  return json_answer(
      200, {{"jobs", list}, {"next_cursor", may_have_more ? Json(jobs.value().back().id) : Json(nullptr)}});
}

// Of an attempt that runs, it lies in the attempt's folder.
Json check_of(const Call& call, const Attempt& attempt) {
  if (is_over(attempt.state)) return attempt.check;
  return read_check(call.service.engine().folder_of(attempt.job_id, attempt.number));
}

Json attempt_view(const Call& call, Attempt attempt) {
  if (!is_over(attempt.state)) {
    auto ranks = read_ranks(call.service.engine().folder_of(attempt.job_id, attempt.number), attempt.workers);
    if (ranks.ok()) attempt.ranks = std::move(ranks).value();
  }
  return view_of(attempt);
}

Response show_job(Call& call) {
  return with_job(call, [&](const Job& job) {
    const auto attempts = call.service.store().attempts(job.id);
    if (!attempts.ok()) return failed(attempts.error());
    Json json = view_of(job);
    json["progress"] = progress_of(call, job);
    if (!attempts.value().empty()) {
      const Attempt& last = attempts.value().back();
      json["last_attempt"] = attempt_view(call, last);
      if (Json check = check_of(call, last); !check.is_null()) json["check"] = std::move(check);
      if (!last.findings.is_null()) json["diagnosis"] = last.findings;
    }
    Response response = json_answer(200, json);
    response.headers.emplace_back("ETag", fmt::format("\"{}\"", job.version));
    return response;
  });
}

Response show_attempts(Call& call) {
  return with_job(call, [&](const Job& job) {
    const auto attempts = call.service.store().attempts(job.id);
    if (!attempts.ok()) return failed(attempts.error());
    Json list = Json::array();
    for (const Attempt& attempt : attempts.value()) list.push_back(attempt_view(call, attempt));
    return json_answer(200, {{"attempts", list}});
  });
}

Response show_findings(Call& call) {
  return with_job(call, [&](const Job& job) {
    const auto attempts = call.service.store().attempts(job.id);
    if (!attempts.ok()) return failed(attempts.error());
    Json list = Json::array();
    for (const Attempt& attempt : attempts.value()) {
      const Json check = check_of(call, attempt);
      if (check.is_null() && attempt.findings.is_null()) continue;
      list.push_back({{"attempt", attempt.number}, {"check", check}, {"findings", attempt.findings}});
    }
    return json_answer(200, {{"diagnoses", list}});
  });
}

Response show_events(Call& call) {
  return with_job(call, [&](const Job& job) {
    std::int64_t after = 0;
    if (const auto cursor = parameter(call, "after")) {
      const auto number = base::number_in<std::int64_t>(*cursor);
      if (!number || *number < 0) return bad_query("after", "must be the sequence of an event");
      after = *number;
    }
    const auto events = call.service.store().events(job.id, after, kMaxInAPage);
    if (!events.ok()) return failed(events.error());
    Json list = Json::array();
    for (const Event& event : events.value()) list.push_back(view_of(event));
    return json_answer(200, {{"events", list}});
  });
}

LogForm form_for(const std::string& accept) {
  if (accept.find("text/event-stream") != std::string::npos) return LogForm::kEvents;
  if (accept.find("application/x-ndjson") != std::string::npos) return LogForm::kJsonLines;
  return LogForm::kText;
}

std::string type_of(LogForm form) {
  switch (form) {
    case LogForm::kEvents:
      return "text/event-stream";
    case LogForm::kJsonLines:
      return "application/x-ndjson";
    case LogForm::kText:
      return "text/plain; charset=utf-8";
  }
  return "";
}

Response show_logs(Call& call) {
  return with_job_here(call, [&](const Job& job) {
    LogWish wish;
    wish.job_id = job.id;
    wish.form = form_for(header(call, "accept").value_or(""));
    const std::string follow = parameter(call, "follow").value_or("false");
    if (follow != "true" && follow != "false") return bad_query("follow", "must be true or false");
    wish.follows = follow == "true";
    if (const auto rank = parameter(call, "rank")) {
      wish.rank = base::number_in<int>(*rank);
      if (!wish.rank || *wish.rank < 0) return bad_query("rank", "must be the number of a rank");
    }
    if (const auto attempt = parameter(call, "attempt")) {
      const auto number = base::number_in<int>(*attempt);
      if (!number || *number < 1) return bad_query("attempt", "must be the number of an attempt");
      wish.attempt = *number;
      wish.only_this_attempt = true;
    }
    if (const auto last = header(call, "last-event-id"); last && !take_position(*last, wish)) {
      return answer(
          Problem{.status = 400, .code = "bad_last_event_id", .title = "The Last-Event-ID is none of ours"});
    }
    Response response{.content_type = type_of(wish.form)};
    response.source = make_log_source(call.service, wish);
    return response;
  });
}

Response cancel_job(Call& call) {
  return with_job(call, [&](Job job) {
    const auto cancelled = call.service.cancel(std::move(job));
    if (!cancelled.ok()) return failed(cancelled.error());
    return json_answer(202, view_of(cancelled.value()));
  });
}

Response retry_job(Call& call) {
  return with_job(call, [&](const Job& job) {
    return retry_answer(call.service, job, call.principal.owner, call.request.body);
  });
}

Response show_report(Call& call) {
  return with_job_here(
      call, [&](const Job& job) { return report_answer(call.service, job, parameter(call, "attempt")); });
}

Response show_page(Call&) {
  return page_answer();
}

// The address holds the key of the user whose service this is: for that user alone, who came through the
// socket or has the key already.
Response page_address(Call& call, std::optional<std::uint16_t> port_to_open) {
  if (!call.request.peer) {
    return answer(Problem{.status = 403,
                          .code = "forbidden",
                          .title = "Only the user who runs the service may ask for the page's address",
                          .hint = "on that machine: lockstep page"});
  }
  const auto address = call.service.page_door()(port_to_open);
  if (!address.ok()) {
    return answer(Problem{.status = 409,
                          .code = "port_not_free",
                          .title = "Cannot open the page on that port",
                          .detail = address.error().why,
                          .hint = address.error().hint});
  }
  return json_answer(200, {{"address", address.value() ? Json(*address.value()) : Json(nullptr)}});
}

Response show_page_address(Call& call) {
  return page_address(call, std::nullopt);
}

Response open_page(Call& call) {
  const std::string port = parameter(call, "port").value_or("0");
  const auto number = base::number_in<std::uint16_t>(port);
  if (!number) return bad_query("port", "must be a port number");
  return page_address(call, *number);
}

Response delete_job(Call& call) {
  return with_job_here(call, [&](const Job& job) {
    if (!is_over(job.state)) {
      return answer(Problem{
          .status = 409, .code = "job_not_over", .title = "The job is not over", .hint = "cancel it first"});
    }
    const auto removed = call.service.remove(job.id);
    if (!removed.ok()) return failed(removed.error());
    return Response{.status = 204};
  });
}

Response livez(Call&) {
  return json_answer(200, {{"status", "ok"}});
}

Response readyz(Call& call) {
  const auto writable = call.service.store().check_writable();
  if (writable.ok()) return json_answer(200, {{"status", "ok"}});
  return answer(Problem{.status = 503,
                        .code = "not_ready",
                        .title = "The job store cannot be written",
                        .detail = writable.error().why});
}

Response metrics(Call& call) {
  const JobService& service = call.service;
  std::string text = "# TYPE lockstep_jobs gauge\n";
  text += fmt::format("lockstep_jobs{{state=\"QUEUED\"}} {}\n", service.waiting_count());
  text += fmt::format("lockstep_jobs{{state=\"RUNNING\"}} {}\n", service.running_count());
  text += "# TYPE lockstep_jobs_ended_total counter\n";
  for (const JobState state : {JobState::kSucceeded, JobState::kFailed, JobState::kCancelled}) {
    text += fmt::format("lockstep_jobs_ended_total{{state=\"{}\"}} {}\n", word_for(state),
                        service.ended_count(state));
  }
  text += "# TYPE lockstep_machine_cores gauge\n";
  text += fmt::format("lockstep_machine_cores {}\n", service.machine().total.millicpus / 1000);
  return {.content_type = "text/plain; version=0.0.4", .body = text};
}

Response openapi(Call&) {
  return {.body = openapi_document()};
}

constexpr std::int64_t kMaxRanks = INT_MAX;

constexpr Parameter kListQuery[] = {
    {.name = "limit",
     .type = "integer",
     .meaning = "How many at most; 50 when it is not given",
     .least = 1,
     .most = kMaxInAPage},
    {.name = "cursor",
     .type = "string",
     .meaning = "The next_cursor of the page before",
     .pattern = "^job_[0-9a-hjkmnp-tv-z]{26}$"},
    {.name = "state",
     .type = "string",
     .meaning = "Only jobs in this state",
     .pattern = "^(QUEUED|RUNNING|SUCCEEDED|FAILED|CANCELLED)$"},
    {.name = "label", .type = "string", .meaning = "Only jobs with this label", .pattern = "^[^=]+=.*$"},
};
constexpr Parameter kLogQuery[] = {
    {.name = "follow",
     .type = "string",
     .meaning = "true: stay until the job is over",
     .pattern = "^(true|false)$"},
    {.name = "rank", .type = "integer", .meaning = "Only this rank", .least = 0, .most = kMaxRanks},
    {.name = "attempt", .type = "integer", .meaning = "Only this attempt", .least = 1, .most = kMaxRanks},
};
constexpr Parameter kLogHeaders[] = {
    {.name = "Last-Event-ID",
     .type = "string",
     .meaning = "Go on behind this event",
     .pattern = "^[1-9][0-9]{0,8}\\.[0-9]{1,18}$"},
};
constexpr Parameter kSubmitHeaders[] = {
    {.name = "Idempotency-Key",
     .type = "string",
     .meaning = "The same key and body again give the same job",
     .pattern = "^[!-~]{1,255}$"},
};
constexpr Parameter kArtifactQuery[] = {{.name = "path",
                                         .type = "string",
                                         .meaning = "The path of an artifact, as listed",
                                         .pattern = "^.+$",
                                         .is_required = true}};
constexpr Parameter kEventQuery[] = {{.name = "after",
                                      .type = "integer",
                                      .meaning = "Only events after this sequence",
                                      .least = 0,
                                      .most = INT64_MAX}};
constexpr Parameter kReportQuery[] = {{.name = "attempt",
                                       .type = "integer",
                                       .meaning = "Of this attempt; of the last when it is not given",
                                       .least = 1,
                                       .most = kMaxRanks}};

constexpr Parameter kPageQuery[] = {
    {.name = "port",
     .type = "integer",
     .meaning = "Of this machine; a free one when it is not given. An open page keeps its port",
     .least = 0,
     .most = UINT16_MAX}};

constexpr Route kRoutes[] = {
    {.method = "POST",
     .path = "/v1/jobs",
     .summary = "Submit a job",
     .needs = Needs::kSubmit,
     .success = 201,
     .answer = "Job",
     .run = nullptr,
     .headers = kSubmitHeaders,
     .run_together = submit_jobs},
    {"GET", "/v1/jobs", "List jobs, the newest first", Needs::kRead, 200, "JobPage", list_jobs, kListQuery},
    {"GET", "/v1/jobs/{id}", "Show a job, its last attempt and what is known of its failure", Needs::kRead,
     200, "Job", show_job},
    {"DELETE", "/v1/jobs/{id}", "Delete a job that is over, with its logs, recordings and artifacts",
     Needs::kSubmit, 204, "", delete_job},
    {"POST", "/v1/jobs/{id}/cancel", "End a job", Needs::kSubmit, 202, "Job", cancel_job},
    {"GET", "/v1/jobs/{id}/attempts", "Show every attempt and how its ranks ended", Needs::kRead, 200,
     "Attempts", show_attempts},
    {"GET", "/v1/jobs/{id}/findings", "Show what was found before each attempt and in those that failed",
     Needs::kRead, 200, "Diagnoses", show_findings},
    {"GET", "/v1/jobs/{id}/events", "Show what happened to a job", Needs::kRead, 200, "Events", show_events,
     kEventQuery},
    {"GET", "/v1/jobs/{id}/logs",
     "Show what the ranks printed: text, JSON lines or server-sent events, as Accept asks", Needs::kRead, 200,
     "text/plain,application/x-ndjson,text/event-stream", show_logs, kLogQuery, kLogHeaders},
    {"GET", "/v1/jobs/{id}/artifacts", "List what the job left in its folder", Needs::kRead, 200, "Artifacts",
     list_artifacts},
    {"GET", "/v1/jobs/{id}/artifacts/content", "The bytes of one artifact", Needs::kRead, 200,
     "application/octet-stream", download_artifact, kArtifactQuery},
    {"POST", "/v1/jobs/{id}/retry", "Submit a job that is over once more", Needs::kSubmit, 201, "Job",
     retry_job},
    {.method = "GET",
     .path = "/v1/jobs/{id}/report",
     .summary = "The report of an attempt, as 'lockstep report' writes it",
     .needs = Needs::kRead,
     .success = 200,
     .answer = "text/html",
     .run = show_report,
     .query = kReportQuery,
     .meanwhile = "It is being made: ask again in a second"},
    {"GET", "/v1/page", "Where the page is, with the key of its user", Needs::kRead, 200, "PageAddress",
     show_page_address},
    {"POST", "/v1/page", "Open the page to browsers on this machine", Needs::kSubmit, 200, "PageAddress",
     open_page, kPageQuery},
    {"GET", "/", "The page for people", Needs::kNothing, 200, "text/html", show_page},
    {"GET", "/livez", "Whether the service runs", Needs::kNothing, 200, "Status", livez},
    {"GET", "/readyz", "Whether the service can take jobs", Needs::kNothing, 200, "Status", readyz},
    {"GET", "/metrics", "Figures for Prometheus", Needs::kRead, 200, "text/plain", metrics},
    {"GET", "/openapi.json", "This API for programs", Needs::kNothing, 200, "Document", openapi},
};

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

}  // namespace lockstep::service
