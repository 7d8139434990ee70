#include "service/store/sqlite_store.h"

#include "service/job/job_id.h"
#include "service/store/job_row.h"

namespace lockstep::service {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL, environment BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS jobs_by_owner ON jobs (owner, id);
CREATE INDEX IF NOT EXISTS unfinished_jobs ON jobs (id) WHERE state IN ('QUEUED', 'RUNNING');
CREATE TABLE IF NOT EXISTS attempts (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, number INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (job_id, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  at_ms INTEGER NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS events_by_job ON events (job_id, sequence);
CREATE TABLE IF NOT EXISTS idempotency (
  owner TEXT NOT NULL, key TEXT NOT NULL, body_hash TEXT NOT NULL, job_id TEXT NOT NULL, at_ms INTEGER NOT NULL,
  PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tokens (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, may_read INTEGER NOT NULL,
  may_submit INTEGER NOT NULL, is_admin INTEGER NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idempotency_by_age ON idempotency (at_ms);
PRAGMA user_version = 1;
)";

constexpr std::int64_t kKeysLiveMs = 24LL * 3600 * 1000;

}  // namespace

Result<SqliteStore> SqliteStore::open(const std::filesystem::path& folder) {
  Seal seal = TRY(Seal::with_key_at(folder / "key"));
  Database database = TRY(Database::open(folder / "jobs.db"));
  TRY(database.execute(kTables));
  return SqliteStore(std::move(database), std::move(seal));
}

Result<void> SqliteStore::insert_event(const Event& event) {
  Statement insert =
      TRY(database_.prepare("INSERT INTO events (job_id, at_ms, kind, detail) VALUES (?, ?, ?, ?)"));
  return insert.with(event.job_id).with(event.at_ms).with(event.kind).with(event.detail).run();
}

Result<std::optional<Admitted>> SqliteStore::known(const Job& job, const IdempotencyKey& key) {
  Statement forget = TRY(database_.prepare("DELETE FROM idempotency WHERE at_ms < ?"));
  TRY(forget.with(job.created_ms - kKeysLiveMs).run());
  Statement find =
      TRY(database_.prepare("SELECT body_hash, job_id FROM idempotency WHERE owner = ? AND key = ?"));
  find.with(job.owner).with(key.key);
  if (!TRY(find.step())) return std::optional<Admitted>();
  const Admission admission = find.text(0) == key.body_hash ? Admission::kKnown : Admission::kOtherBody;
  return std::optional<Admitted>({admission, find.text(1)});
}

Result<Admitted> SqliteStore::insert_job(const NewJob& wanted) {
  const Job& job = wanted.job;
  if (wanted.key) {
    const IdempotencyKey& key = *wanted.key;
    if (auto admitted = TRY(known(job, key))) return *admitted;
    Statement insert = TRY(database_.prepare("INSERT INTO idempotency VALUES (?, ?, ?, ?, ?)"));
    TRY(insert.with(job.owner).with(key.key).with(key.body_hash).with(job.id).with(job.created_ms).run());
  }
  Statement insert = TRY(database_.prepare("INSERT INTO jobs VALUES (?, ?, ?, ?, ?)"));
  insert.with(job.id).with(job.owner).with(word_for(job.state)).with(encode_job(job));
  TRY(insert.with_bytes(seal_.close(encode_environment(job.spec.environment))).run());
  TRY(insert_event(wanted.event));
  return Admitted{Admission::kAdded, job.id};
}

Result<std::vector<Admitted>> SqliteStore::add(std::span<const NewJob> jobs) {
  Transaction transaction = TRY(Transaction::begin(database_));
  std::vector<Admitted> admitted;
  for (const NewJob& job : jobs) admitted.push_back(TRY(insert_job(job)));
  TRY(transaction.commit());
  return admitted;
}

Result<void> SqliteStore::apply(const Change& change) {
  Transaction transaction = TRY(Transaction::begin(database_));
  Statement update = TRY(database_.prepare("UPDATE jobs SET state = ?, body = ? WHERE id = ?"));
  TRY(update.with(word_for(change.job.state)).with(encode_job(change.job)).with(change.job.id).run());
  if (change.attempt) {
    Statement put = TRY(database_.prepare("INSERT OR REPLACE INTO attempts VALUES (?, ?, ?)"));
    put.with(change.attempt->job_id).with(std::int64_t{change.attempt->number});
    TRY(put.with(encode_attempt(*change.attempt)).run());
  }
  if (is_over(change.job.state)) {  // nobody starts it again
    Statement forget = TRY(database_.prepare("UPDATE jobs SET environment = NULL WHERE id = ?"));
    TRY(forget.with(change.job.id).run());
  }
  if (change.event) TRY(insert_event(*change.event));
  return transaction.commit();
}

Result<void> SqliteStore::remove(const std::string& job_id) {
  Statement statement = TRY(database_.prepare("DELETE FROM jobs WHERE id = ?"));
  return statement.with(job_id).run();
}

Result<std::vector<Job>> SqliteStore::jobs_from(Statement statement) {
  std::vector<Job> jobs;
  while (TRY(statement.step())) {
    Job job = TRY(decode_job(statement.text(0)));
    if (const std::string sealed = statement.text(1); !sealed.empty()) {
      job.spec.environment = decode_environment(TRY(seal_.open(sealed)));
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<std::optional<Job>> SqliteStore::job(const std::string& id) {
  Statement find = TRY(database_.prepare("SELECT body, environment FROM jobs WHERE id = ?"));
  find.with(id);
  std::vector<Job> found = TRY(jobs_from(std::move(find)));
  if (found.empty()) return std::optional<Job>();
  return std::optional<Job>(std::move(found.front()));
}

Result<std::vector<Job>> SqliteStore::jobs(const JobFilter& filter) {
  std::string sql = "SELECT body, NULL FROM jobs WHERE (id < ? OR ? = '')";
  if (filter.owner) sql += " AND owner = ?";
  if (filter.state) sql += " AND state = ?";
  if (filter.label) {
    sql += " AND EXISTS (SELECT 1 FROM json_each(body, '$.spec.labels') WHERE key = ? AND value = ?)";
  }
  sql += " ORDER BY id DESC LIMIT ?";
  Statement find = TRY(database_.prepare(sql));
  find.with(filter.after_id).with(filter.after_id);
  if (filter.owner) find.with(*filter.owner);
  if (filter.state) find.with(word_for(*filter.state));
  if (filter.label) find.with(filter.label->first).with(filter.label->second);
  find.with(std::int64_t{filter.limit});
  return jobs_from(std::move(find));
}

Result<std::vector<Job>> SqliteStore::unfinished() {
  return jobs_from(
      TRY(database_.prepare("SELECT body, environment FROM jobs WHERE state IN ('QUEUED', 'RUNNING') "
                            "ORDER BY id")));
}

// Names grow with the time of making: younger jobs need not be looked at.
Result<std::vector<std::string>> SqliteStore::over_before(std::int64_t ms, int limit) {
  Statement find =
      TRY(database_.prepare("SELECT id FROM jobs WHERE id < ? AND state NOT IN ('QUEUED', 'RUNNING') "
                            "AND json_extract(body, '$.ended_ms') < ? ORDER BY id LIMIT ?"));
  find.with(least_job_id(ms)).with(ms).with(std::int64_t{limit});
  std::vector<std::string> names;
  while (TRY(find.step())) names.push_back(find.text(0));
  return names;
}

Result<std::vector<Attempt>> SqliteStore::attempts(const std::string& job_id) {
  Statement find = TRY(database_.prepare("SELECT body FROM attempts WHERE job_id = ? ORDER BY number"));
  find.with(job_id);
  std::vector<Attempt> attempts;
  while (TRY(find.step())) attempts.push_back(TRY(decode_attempt(find.text(0))));
  return attempts;
}

Result<std::vector<Event>> SqliteStore::events(const std::string& job_id, std::int64_t after, int limit) {
  Statement find = TRY(database_.prepare(
      "SELECT sequence, job_id, at_ms, kind, detail FROM events WHERE job_id = ? AND sequence > ? "
      "ORDER BY sequence LIMIT ?"));
  find.with(job_id).with(after).with(std::int64_t{limit});
  std::vector<Event> events;
  while (TRY(find.step())) {
    events.push_back({find.number(0), find.text(1), find.number(2), find.text(3), find.text(4)});
  }
  return events;
}

Result<void> SqliteStore::check_writable() {
  Transaction transaction = TRY(Transaction::begin(database_));
  TRY(database_.execute("PRAGMA user_version = 1"));
  return transaction.commit();
}

}  // namespace lockstep::service
