#include "service/store/schema.h"

#include <array>

#include <fmt/format.h>

#include "base/json.h"
#include "service/job/job.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {

namespace {

constexpr std::string_view kFirstTables = R"({prelude}
CREATE TABLE IF NOT EXISTS jobs (
  id {name} PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL, environment {bytes}
) {table_end};
CREATE INDEX IF NOT EXISTS jobs_by_owner ON jobs (owner, id);
CREATE INDEX IF NOT EXISTS unfinished_jobs ON jobs (id) WHERE state IN ('QUEUED', 'RUNNING');
CREATE TABLE IF NOT EXISTS attempts (
  job_id {name} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, number {integer} NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (job_id, number)
) {table_end};
CREATE TABLE IF NOT EXISTS events (
  sequence {counter}, job_id {name} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  at_ms {integer} NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS events_by_job ON events (job_id, sequence);
CREATE TABLE IF NOT EXISTS idempotency (
  owner TEXT NOT NULL, key TEXT NOT NULL, body_hash TEXT NOT NULL, job_id TEXT NOT NULL, at_ms {integer} NOT NULL,
  PRIMARY KEY (owner, key)
) {table_end};
CREATE TABLE IF NOT EXISTS tokens (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, may_read {integer} NOT NULL,
  may_submit {integer} NOT NULL, is_admin {integer} NOT NULL, created_ms {integer} NOT NULL,
  expires_ms {integer} NOT NULL
) {table_end};
CREATE INDEX IF NOT EXISTS idempotency_by_age ON idempotency (at_ms);
)";

// Several services on one store: whose a job is, which change of it was the last, and whom others want to
// end. What is searched for has a place of its own: databases do not read JSON alike.
constexpr std::string_view kServices = R"(
ALTER TABLE jobs ADD COLUMN service TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN version {integer} NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN ended_ms {integer} NOT NULL DEFAULT 0;
CREATE TABLE labels (
  job_id {name} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL
);
CREATE INDEX labels_by_name ON labels (name, value);
CREATE INDEX labels_by_job ON labels (job_id);
CREATE TABLE cancels (job_id {name} PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE) {table_end};
)";

std::string spelled(std::string_view tables, const Dialect& dialect) {
  return fmt::format(fmt::runtime(tables), fmt::arg("prelude", dialect.prelude),
                     fmt::arg("name", dialect.name), fmt::arg("integer", dialect.integer),
                     fmt::arg("bytes", dialect.bytes), fmt::arg("counter", dialect.counter),
                     fmt::arg("table_end", dialect.table_end));
}

Result<void> make_first_tables(Database& database) {
  return database.run_script(spelled(kFirstTables, database.dialect()));
}

Result<void> prepare_for_services(Database& database) {
  TRY(database.run_script(spelled(kServices, database.dialect())));
  for (const Columns& row : TRY(database.run("SELECT body FROM jobs"))) {
    const Job job = TRY(decode_job(row.at(0)));
    TRY(database.run("UPDATE jobs SET version = ?, ended_ms = ? WHERE id = ?",
                     {job.version, job.ended_ms, job.id}));
    TRY(insert_labels(database, job));
  }
  return {};
}

// The findings of attempts are JSON of their row from here on, no text in it; rows of before are read as they
// are. Earlier programs cannot read the new ones.
Result<void> keep_findings_as_json(Database&) {
  return {};
}

// Released steps stay as they are; a new one is added at the end.
constexpr std::array kSteps = {make_first_tables, prepare_for_services, keep_findings_as_json};
constexpr int kNewest = kSteps.size();

}  // namespace

Result<void> insert_labels(Database& database, const Job& job) {
  for (const auto& [name, value] : job.spec.labels)
    TRY(database.run("INSERT INTO labels VALUES (?, ?, ?)", {job.id, name, value}));
  return {};
}

Result<void> bring_up_to_date(Database& database) {
  Transaction transaction = TRY(Transaction::begin_alone(database));
  const int version = TRY(database.schema_version());
  if (version == kNewest) return {};
  if (version > kNewest) {
    return Error{"cannot use the job store", fmt::format("version {}", version),
                 fmt::format("a later lockstep made it; this one knows versions up to {}", kNewest),
                 "use the later lockstep"};
  }
  for (int step = version; step < kNewest; ++step) {
    TRY(kSteps.at(static_cast<std::size_t>(step))(database));
  }
  TRY(database.set_schema_version(kNewest));
  return transaction.commit();
}

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
               {"reason", attempt.reason.text},
               {"end_kind", word_for(attempt.reason.kind)},
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
    attempt.reason = {
        end_kind_named(json.value("end_kind", std::string())),  // none in rows of earlier versions
        json.at("reason").get<std::string>()};
    attempt.workers = json.at("workers").get<int>();
    attempt.gpus = json.at("gpus").get<std::vector<int>>();
    attempt.ports = json.at("ports").get<std::vector<int>>();
    attempt.started_ms = json.at("started_ms").get<std::int64_t>();
    attempt.ended_ms = json.at("ended_ms").get<std::int64_t>();
    attempt.exit_status = json.at("exit_status").get<int>();
    for (const Json& rank : json.at("ranks")) attempt.ranks.push_back(decode_rank_end(rank));
    if (json.contains("first_failed_rank"))
      attempt.first_failed_rank = json.at("first_failed_rank").get<int>();
    attempt.check = decode_kept_findings(base::field_at(json, "check"));  // none in rows of earlier versions
    attempt.findings = decode_kept_findings(json.at("findings"));
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
