// The job store in one SQLite file.
#pragma once

#include <filesystem>

#include "service/store/seal.h"
#include "service/store/sqlite.h"
#include "service/store/store.h"

namespace lockstep::service {

class SqliteStore : public Store {
 public:
  // In this folder: jobs.db and its key.
  static Result<SqliteStore> open(const std::filesystem::path& folder);

  Result<std::vector<Admitted>> add(std::span<const NewJob> jobs) override;
  Result<void> apply(const Change& change) override;
  Result<void> remove(const std::string& job_id) override;
  Result<std::optional<Job>> job(const std::string& id) override;
  Result<std::vector<Job>> jobs(const JobFilter& filter) override;
  Result<std::vector<Job>> unfinished() override;
  Result<std::vector<std::string>> over_before(std::int64_t ms, int limit) override;
  Result<std::vector<Attempt>> attempts(const std::string& job_id) override;
  Result<std::vector<Event>> events(const std::string& job_id, std::int64_t after, int limit) override;
  Result<void> add_token(const Token& token) override;
  Result<bool> remove_token(const std::string& id) override;
  Result<std::vector<Token>> tokens() override;
  Result<std::optional<Token>> token_with_hash(const std::string& hash) override;
  Result<void> check_writable() override;

 private:
  SqliteStore(Database database, Seal seal) : database_(std::move(database)), seal_(std::move(seal)) {}
  Result<void> insert_event(const Event& event);
  Result<Admitted> insert_job(const NewJob& wanted);
  Result<std::optional<Admitted>> known(const Job& job, const IdempotencyKey& key);
  Result<std::vector<Job>> jobs_from(Statement statement);

  Database database_;
  Seal seal_;
};

}  // namespace lockstep::service
