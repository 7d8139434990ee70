#include "service/store/job_row.h"

#include "base/json.h"
#include "service/job/rank_end_json.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {
namespace {

using base::Json;

std::string one_line(const Json& json) {
  return base::to_text(json, base::JsonLayout::kOneLine);
}

// What we wrote ourselves; a store that was changed by hand gives an error, not a crash.
template <typename Value, typename Decode>
Result<Value> decoded(std::string_view text, Decode decode) {
  const Json json = TRY(base::parse_json(text, "job store"));
  try {
    return decode(json);
  } catch (const nlohmann::json::exception& fault) {
    return Error{"the job store holds a damaged row", "", fault.what(), ""};
  }
}

Json encode_repairs(const Repairs& repairs) {
  return {{"environment", repairs.environment},
          {"node_environment", repairs.node_environment},
          {"command", repairs.command},
          {"excluded_nodes", repairs.excluded_nodes},
          {"done", repairs.done},
          {"has_own_shared_memory", repairs.has_own_shared_memory},
          {"retries_used", repairs.retries_used},
          {"newest_checkpoint_ms", repairs.newest_checkpoint_ms}};
}

Repairs decode_repairs(const Json& json) {
  using Variables = std::map<std::string, std::string>;
  return {.environment = json.at("environment").get<Variables>(),
          .node_environment = json.value("node_environment", std::map<std::string, Variables>()),
          .command = json.value("command", std::vector<std::string>()),  // neither is in earlier rows
          .excluded_nodes = json.at("excluded_nodes").get<std::vector<std::string>>(),
          .done = json.at("done").get<std::vector<std::string>>(),
          .has_own_shared_memory = json.at("has_own_shared_memory").get<bool>(),
          .retries_used = json.at("retries_used").get<int>(),
          .newest_checkpoint_ms = json.at("newest_checkpoint_ms").get<std::int64_t>()};
}

}  // namespace

std::string encode_job(const Job& job) {
  Json choices = Json::array();
  for (const Choice& choice : job.choices) choices.push_back({choice.name, choice.value, choice.reason});
  Json json = {{"id", job.id},
               {"owner", job.owner},
               {"state", word_for(job.state)},
               {"reason", job.reason},
               {"spec", encode_spec(job.spec)},
               {"framework", word_for(job.framework)},
               {"per_worker", {job.per_worker.millicpus, job.per_worker.memory_bytes, job.per_worker.gpus}},
               {"choices", choices},
               {"created_ms", job.created_ms},
               {"started_ms", job.started_ms},
               {"ended_ms", job.ended_ms},
               {"attempts", job.attempts},
               {"cancel_asked", job.cancel_asked},
               {"version", job.version}};
  if (job.engine != EngineKind::kLocal) json["engine"] = word_for(job.engine);
  if (!job.partition.empty()) json["partition"] = job.partition;
  json["repairs"] = encode_repairs(job.repairs);
  return one_line(json);
}

Result<Job> decode_job(std::string_view text) {
  return decoded<Job>(text, [](const Json& json) {
    Job job;
    job.id = json.at("id").get<std::string>();
    job.owner = json.at("owner").get<std::string>();
    job.state = job_state_named(json.at("state").get<std::string>()).value_or(JobState::kFailed);
    job.reason = json.at("reason").get<std::string>();
    job.spec = decode_spec(json.at("spec")).spec;
    job.framework = framework_named(json.at("framework").get<std::string>()).value_or(Framework::kPlain);
    const Json& each = json.at("per_worker");
    job.per_worker = {each.at(0).get<std::int64_t>(), each.at(1).get<std::int64_t>(),
                      each.at(2).get<std::int64_t>()};
    for (const Json& choice : json.at("choices")) {
      job.choices.push_back({choice.at(0).get<std::string>(), choice.at(1).get<std::string>(),
                             choice.at(2).get<std::string>()});
    }
    job.created_ms = json.at("created_ms").get<std::int64_t>();
    job.started_ms = json.at("started_ms").get<std::int64_t>();
    job.ended_ms = json.at("ended_ms").get<std::int64_t>();
    job.attempts = json.at("attempts").get<int>();
    job.cancel_asked = json.at("cancel_asked").get<bool>();
    job.version = json.at("version").get<std::int64_t>();
    job.engine = engine_named(json.value("engine", std::string("local"))).value_or(EngineKind::kLocal);
    job.partition = json.value("partition", std::string());
    if (json.contains("repairs")) job.repairs = decode_repairs(json.at("repairs"));  // none in earlier rows
    return job;
  });
}

std::string encode_attempt(const Attempt& attempt) {
  Json ranks = Json::array();
  for (const RankEnd& rank : attempt.ranks) ranks.push_back(encode_rank_end(rank));
  Json json = {{"job_id", attempt.job_id},
               {"number", attempt.number},
               {"state", word_for(attempt.state)},
               {"reason", attempt.reason},
               {"workers", attempt.workers},
               {"gpus", attempt.gpus},
               {"ports", attempt.ports},
               {"started_ms", attempt.started_ms},
               {"ended_ms", attempt.ended_ms},
               {"exit_status", attempt.exit_status},
               {"ranks", ranks},
               {"check", attempt.check},
               {"findings", attempt.findings}};
  if (attempt.nodes > 1) json["nodes"] = attempt.nodes;
  if (!attempt.node_names.empty()) json["node_names"] = attempt.node_names;
  if (attempt.news_read > 0) json["news_read"] = attempt.news_read;
  if (attempt.first_failed_rank) json["first_failed_rank"] = *attempt.first_failed_rank;
  return one_line(json);
}

Result<Attempt> decode_attempt(std::string_view text) {
  return decoded<Attempt>(text, [](const Json& json) {
    Attempt attempt;
    attempt.job_id = json.at("job_id").get<std::string>();
    attempt.number = json.at("number").get<int>();
    attempt.state = job_state_named(json.at("state").get<std::string>()).value_or(JobState::kFailed);
    attempt.reason = json.at("reason").get<std::string>();
    attempt.workers = json.at("workers").get<int>();
    attempt.gpus = json.at("gpus").get<std::vector<int>>();
    attempt.ports = json.at("ports").get<std::vector<int>>();
    attempt.started_ms = json.at("started_ms").get<std::int64_t>();
    attempt.ended_ms = json.at("ended_ms").get<std::int64_t>();
    attempt.exit_status = json.at("exit_status").get<int>();
    for (const Json& rank : json.at("ranks")) attempt.ranks.push_back(decode_rank_end(rank));
    if (json.contains("first_failed_rank"))
      attempt.first_failed_rank = json.at("first_failed_rank").get<int>();
    attempt.check = json.value("check", std::string());  // none in rows of earlier versions
    attempt.findings = json.at("findings").get<std::string>();
    attempt.nodes = json.value("nodes", 1);
    if (json.contains("node_names"))
      attempt.node_names = json.at("node_names").get<std::vector<std::string>>();
    attempt.news_read = json.value("news_read", std::int64_t{0});
    return attempt;
  });
}

std::string encode_environment(const std::map<std::string, std::string>& environment) {
  return one_line(Json(environment));
}

std::map<std::string, std::string> decode_environment(std::string_view text) {
  std::map<std::string, std::string> environment;
  const auto json = base::parse_json(text, "environment");
  if (!json.ok() || !json.value().is_object()) return environment;
  for (const auto& [name, value] : json.value().items()) {
    if (value.is_string()) environment[name] = value.get<std::string>();
  }
  return environment;
}

}  // namespace lockstep::service
