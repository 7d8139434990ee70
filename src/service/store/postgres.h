// PostgreSQL at one edge: a connection that is made again when it is lost.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "service/store/database.h"
#include "service/store/libpq.h"

namespace lockstep::service {

class PostgresDatabase : public Database {
 public:
  static Result<std::unique_ptr<PostgresDatabase>> open(const std::string& address);

  // No other connection can claim this name while this one holds it, or the one that follows it.
  Result<void> claim(const std::string& name);

  const Dialect& dialect() const override;
  // Outside a transaction a lost connection is made again first; within one, all since its begin is undone.
  Result<Rows> run(std::string_view sql, const std::vector<Value>& values) override;
  Result<void> run_script(const std::string& statements) override;
  Result<void> begin() override;
  Result<void> begin_alone() override;
  Result<void> commit() override;
  void roll_back() override;
  Result<int> schema_version() override;
  Result<void> set_schema_version(int version) override;
  Result<void> check_writable() override;
  bool is_reachable() const override { return connection_ != nullptr; }

 private:
  using Clock = std::chrono::steady_clock;
  using Connection = std::unique_ptr<PGconn, decltype(&::PQfinish)>;
  using Answer = std::unique_ptr<PGresult, decltype(&::PQclear)>;

  PostgresDatabase(const Libpq& libpq, std::string address, std::string shown)
      : libpq_(libpq),
        address_(std::move(address)),
        shown_(std::move(shown)),
        connection_(nullptr, libpq.finish) {}

  Result<void> connect();
  Result<void> connect_unless_there();
  Result<void> prepare_session();
  Result<void> take_claim();
  Result<Rows> run_once(const std::string& sql, const std::vector<Value>& values);
  Result<Answer> checked(PGresult* raw);
  Rows rows_of(const PGresult* answer) const;
  Error lost(const char* message) const;

  Libpq libpq_;
  std::string address_;
  std::string shown_;
  Connection connection_;
  std::string claimed_;
  bool is_in_transaction_ = false;
  std::optional<Error> last_refusal_;
  Clock::time_point next_try_{};
};

}  // namespace lockstep::service
