#include "service/store/schema.h"

#include <array>

#include <fmt/format.h>

#include "service/store/job_row.h"

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

// Released steps stay as they are; a new one is added at the end.
constexpr std::array kSteps = {make_first_tables, prepare_for_services};
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

}  // namespace lockstep::service
