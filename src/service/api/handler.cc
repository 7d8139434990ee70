#include "service/api/handler.h"

#include <algorithm>
#include <pwd.h>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "service/http/message.h"
#include "service/job/job.h"
#include "service/job/spec_fields.h"

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

std::string OwnerNames::name_of(const std::string& owner) {
  constexpr std::string_view kUser = "uid:";
  if (!owner.starts_with(kUser)) return owner;
  const std::string_view number = std::string_view(owner).substr(kUser.size());
  const auto user = base::number_in<uid_t>(number);
  if (!user) return fmt::format("user {}", number);
  const auto [place, is_new] = known_.try_emplace(*user);
  if (is_new) place->second = look_up_(*user);
  return place->second.empty() ? fmt::format("user {}", number) : place->second;
}

namespace {

using base::Json;

Json time_of(std::int64_t ms) {
  return ms == 0 ? Json(nullptr) : Json(rfc3339(ms));
}

std::string name_of_user(uid_t user) {
  const passwd* const who = ::getpwuid(user);
  return who == nullptr ? "" : who->pw_name;
}

std::string name_of_owner(const std::string& owner) {
  static OwnerNames names(name_of_user);
  return names.name_of(owner);
}

Json view_of_rank(const RankEnd& rank) {
  Json json = {{"rank", rank.rank},
               {"started_at", time_of(rank.started_ms)},
               {"ended_at", time_of(rank.ended_ms)},
               {"exit_status", rank.exit_status ? Json(*rank.exit_status) : Json(nullptr)},
               {"signal", rank.signal ? Json(*rank.signal) : Json(nullptr)},
               {"alive_at", time_of(rank.alive_ms)},
               {"hit_memory_limit", rank.hit_memory_limit},
               {"was_asked_to_end", rank.was_asked},
               {"last_lines", rank.last_lines}};
  return json;
}

// More than any sound request has: 1,024 variables, 1,024 files, 64 labels, and 4,096 words twice.
constexpr std::size_t kMaxMembers = 4096;
constexpr std::size_t kMaxItems = 16'384;
constexpr std::size_t kLongestName = 4096;  // bytes, of a member: a path has at most 1,024

// What a JSON text is made of, counted in one pass without building anything. Of what is no JSON the counts
// mean nothing, and the parser says so.
struct JsonSize {
  std::size_t members = 0;
  std::size_t items = 0;
  std::size_t longest_name = 0;

  explicit JsonSize(std::string_view text) {
    std::size_t last_text = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '"') {
        const std::size_t begin = at + 1;
        for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
        last_text = at - begin;
      } else if (text[at] == ':') {
        ++members;
        longest_name = std::max(longest_name, last_text);
      } else if (text[at] == ',') {
        ++items;
      }
    }
  }
};

}  // namespace

Result<Json> parse_request(std::string_view body) {
  const JsonSize size(body);
  const auto too_much = [](std::string why) { return Error{"cannot read the request", "body", why, ""}; };
  if (size.members > kMaxMembers) return too_much(fmt::format("more than {} members", kMaxMembers));
  if (size.items > kMaxItems) return too_much(fmt::format("more than {} items", kMaxItems));
  if (size.longest_name > kLongestName)
    return too_much(fmt::format("a name of more than {} bytes", kLongestName));
  return base::parse_json(body, "body");
}

Json view_of(const Job& job) {
  Json resolved = Json::object();
  for (const Choice& choice : job.choices) {
    resolved[choice.name] = {{"value", choice.value}, {"reason", choice.reason}};
  }
  Json request = encode_spec(job.spec);
  request.erase("files");
  return {{"id", job.id},
          {"state", word_for(job.state)},
          {"reason", job.reason},
          {"owner", job.owner},
          {"owner_name", name_of_owner(job.owner)},
          {"service", job.service},
          {"created_at", time_of(job.created_ms)},
          {"started_at", time_of(job.started_ms)},
          {"ended_at", time_of(job.ended_ms)},
          {"engine", word_for(job.engine)},
          {"attempts", job.attempts},
          {"cancel_asked", job.cancel_asked},
          {"request", request},
          {"resolved", resolved}};
}

Json view_of(const Attempt& attempt) {
  Json ranks = Json::array();
  for (const RankEnd& rank : attempt.ranks) ranks.push_back(view_of_rank(rank));
  return {{"number", attempt.number},
          {"state", word_for(attempt.state)},
          {"reason", attempt.reason.text},
          {"workers", attempt.workers},
          {"nodes", attempt.nodes},
          {"node_names", attempt.node_names},
          {"gpus", attempt.gpus},
          {"ports", attempt.ports},
          {"started_at", time_of(attempt.started_ms)},
          {"ended_at", time_of(attempt.ended_ms)},
          {"exit_status", attempt.ended_ms == 0 ? Json(nullptr) : Json(attempt.exit_status)},
          {"first_failed_rank", attempt.first_failed_rank ? Json(*attempt.first_failed_rank) : Json(nullptr)},
          {"ranks", ranks}};
}

Json view_of(const Event& event) {
  return {{"sequence", event.sequence},
          {"job", event.job_id},
          {"at", time_of(event.at_ms)},
          {"kind", event.kind},
          {"detail", event.detail}};
}

}  // namespace lockstep::service
