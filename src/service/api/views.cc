#include "service/api/views.h"

#include "service/job/job_id.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {
namespace {

using base::Json;

Json time_of(std::int64_t ms) {
  return ms == 0 ? Json(nullptr) : Json(rfc3339(ms));
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

}  // namespace

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
          {"reason", attempt.reason},
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
