// The job store in a database.
#pragma once

#include <memory>

#include "service/store/database.h"
#include "service/store/seal.h"
#include "service/store/store.h"

namespace lockstep::service {

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

}  // namespace lockstep::service
