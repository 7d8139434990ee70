#include "service/store/open_store.h"

#include <array>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "service/job/job.h"
#include "service/store/database.h"
#include "service/store/postgres.h"
#include "service/store/schema.h"
#include "service/store/seal.h"
#include "service/store/sqlite.h"
#include "service/store/store.h"

namespace lockstep::service {
namespace {

// The job store in a database.
class SqlStore : public Store {
 public:
  // `service`: whose jobs are ours, where several share the database.
  static Result<std::unique_ptr<Store>> over(std::unique_ptr<Database> database, Seal seal,
                                             std::string service);

  const std::string& service() const override { return service_; }
  Result<std::vector<Admitted>> add(std::span<const NewJob> jobs) override;
  Result<void> apply(const Change& change) override;
  Result<void> remove(const std::string& job_id) override;
  Result<std::optional<Job>> job(const std::string& id) override;
  Result<std::vector<Job>> jobs(const JobFilter& filter) override;
  Result<std::vector<Job>> unfinished() override;
  Result<std::vector<std::string>> over_before(std::int64_t ms, int limit) override;
  Result<std::vector<Attempt>> attempts(const std::string& job_id) override;
  Result<std::vector<Event>> events(const std::string& job_id, std::int64_t after, int limit) override;
  Result<void> ask_to_cancel(const std::string& job_id) override;
  Result<std::vector<std::string>> cancels_asked() override;
  Result<void> add_token(const Token& token) override;
  Result<bool> remove_token(const std::string& id) override;
  Result<std::vector<Token>> tokens() override;
  Result<std::optional<Token>> token_with_hash(const std::string& hash) override;
  Result<void> check_writable() override { return database_->check_writable(); }
  bool is_reachable() const override { return database_->is_reachable(); }

 private:
  SqlStore(std::unique_ptr<Database> database, Seal seal, std::string service)
      : database_(std::move(database)), seal_(std::move(seal)), service_(std::move(service)) {}
  Result<void> insert_event(const Event& event);
  Result<Admitted> insert_job(const NewJob& wanted);
  Result<std::optional<Admitted>> known(const Job& job, const IdempotencyKey& key);
  Result<std::vector<Job>> jobs_in(const Rows& rows);

  std::unique_ptr<Database> database_;
  Seal seal_;
  std::string service_;
};

constexpr std::int64_t kKeysLiveMs = 24LL * 3600 * 1000;

std::int64_t number_of(const std::string& text) {
  return base::number_in<std::int64_t>(text).value_or(0);
}

std::vector<std::string> first_of(Rows rows) {
  std::vector<std::string> names;
  for (Columns& row : rows) names.push_back(std::move(row.at(0)));
  return names;
}

Result<std::unique_ptr<Store>> SqlStore::over(std::unique_ptr<Database> database, Seal seal,
                                              std::string service) {
  TRY(bring_up_to_date(*database));
  return std::unique_ptr<Store>(new SqlStore(std::move(database), std::move(seal), std::move(service)));
}

Result<void> SqlStore::insert_event(const Event& event) {
  TRY(database_->run("INSERT INTO events (job_id, at_ms, kind, detail) VALUES (?, ?, ?, ?)",
                     {event.job_id, event.at_ms, event.kind, event.detail}));
  return {};
}

// Whoever comes first with a key has it, also where two services come at once.
Result<std::optional<Admitted>> SqlStore::known(const Job& job, const IdempotencyKey& key) {
  TRY(database_->run("DELETE FROM idempotency WHERE at_ms < ?", {job.created_ms - kKeysLiveMs}));
  const Rows first = TRY(database_->run(
      "INSERT INTO idempotency VALUES (?, ?, ?, ?, ?) ON CONFLICT (owner, key) DO NOTHING RETURNING job_id",
      {job.owner, key.key, key.body_hash, job.id, job.created_ms}));
  if (!first.empty()) return std::optional<Admitted>();
  const Rows earlier = TRY(database_->run(
      "SELECT body_hash, job_id FROM idempotency WHERE owner = ? AND key = ?", {job.owner, key.key}));
  if (earlier.empty())
    return Error{"the job store failed", job.id, "a key came and went at once", "ask again"};
  const Admission admission = earlier[0][0] == key.body_hash ? Admission::kKnown : Admission::kOtherBody;
  return std::optional<Admitted>({admission, earlier[0][1]});
}

Result<Admitted> SqlStore::insert_job(const NewJob& wanted) {
  const Job& job = wanted.job;
  if (wanted.key) {
    if (auto admitted = TRY(known(job, *wanted.key))) return *admitted;
  }
  const std::string body = encode_job(job);
  const std::string sealed = seal_.close(encode_environment(job.spec.environment));
  TRY(database_->run(
      "INSERT INTO jobs (id, owner, state, body, environment, service, version) VALUES (?, ?, ?, ?, ?, ?, ?)",
      {job.id, job.owner, word_for(job.state), body, Bytes{sealed}, service_, job.version}));
  TRY(insert_labels(*database_, job));
  TRY(insert_event(wanted.event));
  return Admitted{Admission::kAdded, job.id};
}

Result<std::vector<Admitted>> SqlStore::add(std::span<const NewJob> jobs) {
  Transaction transaction = TRY(Transaction::begin(*database_));
  std::vector<Admitted> admitted;
  for (const NewJob& job : jobs) admitted.push_back(TRY(insert_job(job)));
  TRY(transaction.commit());
  return admitted;
}

Result<void> SqlStore::apply(const Change& change) {
  const Job& job = change.job;
  Transaction transaction = TRY(Transaction::begin(*database_));
  const std::string body = encode_job(job);
  const Rows changed =
      TRY(database_->run("UPDATE jobs SET state = ?, body = ?, ended_ms = ?, version = ? WHERE id = ? AND "
                         "version < ? RETURNING id",
                         {word_for(job.state), body, job.ended_ms, job.version, job.id, job.version}));
  if (changed.empty()) return {};
  if (change.attempt) {
    const std::string attempt = encode_attempt(*change.attempt);
    TRY(
        database_->run("INSERT INTO attempts VALUES (?, ?, ?) "
                       "ON CONFLICT (job_id, number) DO UPDATE SET body = excluded.body",
                       {change.attempt->job_id, std::int64_t{change.attempt->number}, attempt}));
  }
  if (is_over(job.state)) {  // nobody starts it again
    TRY(database_->run("UPDATE jobs SET environment = NULL WHERE id = ?", {job.id}));
    TRY(database_->run("DELETE FROM cancels WHERE job_id = ?", {job.id}));
  }
  if (change.event) TRY(insert_event(*change.event));
  return transaction.commit();
}

Result<void> SqlStore::remove(const std::string& job_id) {
  TRY(database_->run("DELETE FROM jobs WHERE id = ?", {job_id}));
  return {};
}

Result<std::vector<Job>> SqlStore::jobs_in(const Rows& rows) {
  std::vector<Job> jobs;
  for (const Columns& row : rows) {
    Job job = TRY(decode_job(row.at(0)));
    job.service = row.at(1);
    const std::string& sealed = row.at(2);  // of another service, with a key that we do not have
    if (!sealed.empty() && job.service == service_)
      job.spec.environment = decode_environment(TRY(seal_.open(sealed)));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<std::optional<Job>> SqlStore::job(const std::string& id) {
  const Rows rows = TRY(database_->run("SELECT body, service, environment FROM jobs WHERE id = ?", {id}));
  std::vector<Job> found = TRY(jobs_in(rows));
  if (found.empty()) return std::optional<Job>();
  return std::optional<Job>(std::move(found.front()));
}

Result<std::vector<Job>> SqlStore::jobs(const JobFilter& filter) {
  std::string sql = "SELECT body, service, NULL FROM jobs WHERE (id < ? OR ? = '')";
  std::vector<Value> values = {filter.after_id, filter.after_id};
  if (filter.owner) {
    sql += " AND owner = ?";
    values.emplace_back(*filter.owner);
  }
  if (filter.state) {
    sql += " AND state = ?";
    values.emplace_back(word_for(*filter.state));
  }
  if (filter.label) {
    sql += " AND id IN (SELECT job_id FROM labels WHERE name = ? AND value = ?)";
    values.insert(values.end(), {filter.label->first, filter.label->second});
  }
  sql += " ORDER BY id DESC LIMIT ?";
  values.emplace_back(std::int64_t{filter.limit});
  const Rows rows = TRY(database_->run(sql, values));
  return jobs_in(rows);
}

Result<std::vector<Job>> SqlStore::unfinished() {
  const Rows rows =
      TRY(database_->run("SELECT body, service, environment FROM jobs WHERE state IN ('QUEUED', 'RUNNING') "
                         "AND service = ? ORDER BY id",
                         {service_}));
  return jobs_in(rows);
}

// Names grow with the time of making: younger jobs need not be looked at.
Result<std::vector<std::string>> SqlStore::over_before(std::int64_t ms, int limit) {
  const std::string first_younger = least_job_id(ms);
  return first_of(
      TRY(database_->run("SELECT id FROM jobs WHERE id < ? AND service = ? AND ended_ms < ? "
                         "AND state NOT IN ('QUEUED', 'RUNNING') ORDER BY id LIMIT ?",
                         {first_younger, service_, ms, std::int64_t{limit}})));
}

Result<std::vector<Attempt>> SqlStore::attempts(const std::string& job_id) {
  std::vector<Attempt> attempts;
  for (const Columns& row :
       TRY(database_->run("SELECT body FROM attempts WHERE job_id = ? ORDER BY number", {job_id})))
    attempts.push_back(TRY(decode_attempt(row.at(0))));
  return attempts;
}

Result<std::vector<Event>> SqlStore::events(const std::string& job_id, std::int64_t after, int limit) {
  Rows rows = TRY(database_->run(
      "SELECT sequence, job_id, at_ms, kind, detail FROM events WHERE job_id = ? AND sequence > ? "
      "ORDER BY sequence LIMIT ?",
      {job_id, after, std::int64_t{limit}}));
  std::vector<Event> events;
  for (Columns& row : rows) {
    events.push_back({number_of(row.at(0)), std::move(row.at(1)), number_of(row.at(2)), std::move(row.at(3)),
                      std::move(row.at(4))});
  }
  return events;
}

Result<void> SqlStore::ask_to_cancel(const std::string& job_id) {
  TRY(database_->run("INSERT INTO cancels VALUES (?) ON CONFLICT (job_id) DO NOTHING", {job_id}));
  return {};
}

Result<std::vector<std::string>> SqlStore::cancels_asked() {
  return first_of(TRY(
      database_->run("SELECT job_id FROM cancels JOIN jobs ON id = job_id WHERE service = ?", {service_})));
}

Token token_in(const Columns& row) {
  const auto number = [&](std::size_t column) {
    return base::number_in<std::int64_t>(row.at(column)).value_or(0);
  };
  return {.id = row.at(0),
          .hash = row.at(1),
          .owner = row.at(2),
          .may_read = number(3) != 0,
          .may_submit = number(4) != 0,
          .is_admin = number(5) != 0,
          .created_ms = number(6),
          .expires_ms = number(7)};
}

Result<void> SqlStore::add_token(const Token& token) {
  TRY(database_->run(
      "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      {token.id, token.hash, token.owner, std::int64_t{token.may_read}, std::int64_t{token.may_submit},
       std::int64_t{token.is_admin}, token.created_ms, token.expires_ms}));
  return {};
}

Result<bool> SqlStore::remove_token(const std::string& id) {
  return !TRY(database_->run("DELETE FROM tokens WHERE id = ? RETURNING id", {id})).empty();
}

Result<std::vector<Token>> SqlStore::tokens() {
  std::vector<Token> tokens;
  for (const Columns& row : TRY(database_->run("SELECT * FROM tokens ORDER BY created_ms, id")))
    tokens.push_back(token_in(row));
  return tokens;
}

Result<std::optional<Token>> SqlStore::token_with_hash(const std::string& hash) {
  const Rows found = TRY(database_->run("SELECT * FROM tokens WHERE hash = ?", {hash}));
  if (found.empty()) return std::optional<Token>();
  return std::optional(token_in(found.front()));
}

namespace fs = std::filesystem;

constexpr std::size_t kServiceIdBytes = 4;
constexpr std::size_t kLongestService = 255;

std::string own_host() {
  std::array<char, 65> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Among those that share a store: "node7-3f9a12c0", where it was first started and what no other one is
// called.
Result<std::string> service_name_in(const fs::path& folder) {
  const fs::path path = folder / "service.id";
  const auto there = base::read_file(path, kLongestService);
  if (there.ok()) return std::string(base::trimmed(there.value()));
  const std::string made = fmt::format("{}-{}", own_host(), in_hex(random_bytes(kServiceIdBytes)));
  TRY(base::write_file(path, made + "\n"));
  return made;
}

// A key that is missing beside jobs is not made anew: what waits could not be started with it.
Result<Seal> seal_of_sqlite(const fs::path& folder) {
  std::error_code none;
  const bool has_jobs = fs::exists(folder / "jobs.db", none) && fs::file_size(folder / "jobs.db", none) > 0;
  const fs::path key = folder / "key";
  if (has_jobs && !fs::exists(fs::symlink_status(key, none)))
    return Error{"the key of the job store is missing", key.string(), "no such file",
                 "restore it from a backup; to begin a new job store, move jobs.db away"};
  return Seal::with_key_at(key);
}

// As a file system leaves a file that was not written through: a new store in its place would be without a
// word about the jobs that were in it.
Result<void> check_not_emptied(const fs::path& folder) {
  std::error_code fault;
  const fs::path store = folder / "jobs.db";
  const bool is_empty = fs::is_regular_file(store, fault) && fs::file_size(store, fault) == 0;
  const bool has_jobs = fs::directory_iterator(folder / "jobs", fault) != fs::directory_iterator();
  if (!is_empty || !has_jobs) return {};
  return Error{"the job store is damaged", store.string(),
               "it is empty, though there are folders of its jobs",
               "restore a backup; to begin a new job store, remove it"};
}

using Listener = std::function<void(const Error&)>;

Result<std::unique_ptr<Store>> open_sqlite(const fs::path& folder, bool is_claimed, const Listener& on_note) {
  TRY(check_not_emptied(folder));
  Seal seal = TRY(seal_of_sqlite(folder));
  std::unique_ptr<SqliteDatabase> database = TRY(SqliteDatabase::open(folder / "jobs.db"));
  if (is_claimed) TRY(database->claim());
  if (is_claimed && database->was_merged_elsewhere() && on_note) {
    on_note({"the job store was changed by another program", (folder / "jobs.db").string(),
             "it merged the log that a service left", ""});
  }
  return SqlStore::over(std::move(database), std::move(seal), "");
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StorePlace& place) {
  if (place.address.empty()) return open_sqlite(place.folder, false, {});
  Seal seal = TRY(Seal::with_key_at(place.folder / "key"));
  return SqlStore::over(TRY(PostgresDatabase::open(place.address)), std::move(seal), "");
}

Result<std::unique_ptr<Store>> claim_store(const StorePlace& place, const Listener& on_note) {
  if (place.address.empty()) return open_sqlite(place.folder, true, on_note);
  Seal seal = TRY(Seal::with_key_at(place.folder / "key"));
  const std::string service = TRY(service_name_in(place.folder));
  std::unique_ptr<PostgresDatabase> database = TRY(PostgresDatabase::open(place.address));
  TRY(database->claim(service));
  return SqlStore::over(std::move(database), std::move(seal), service);
}

}  // namespace lockstep::service
