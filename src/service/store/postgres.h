// PostgreSQL at one edge: a connection that is made again when it is lost.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <libpq-fe.h>

#include "base/result.h"
#include "service/store/database.h"

namespace lockstep::service {

// The client library of PostgreSQL, loaded by who asks for it: linked, it and the twenty libraries behind it
// would double the time that every command takes to start, and every node would need them.

struct Libpq {
  static Result<Libpq> load();

  decltype(&::PQconninfoParse) conninfo_parse = nullptr;
  decltype(&::PQconninfoFree) conninfo_free = nullptr;
  decltype(&::PQfreemem) freemem = nullptr;
  decltype(&::PQconnectdbParams) connectdb_params = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQstatus) status = nullptr;
  decltype(&::PQparameterStatus) parameter_status = nullptr;
  decltype(&::PQerrorMessage) error_message = nullptr;
  decltype(&::PQsetErrorVerbosity) set_error_verbosity = nullptr;
  decltype(&::PQsetNoticeProcessor) set_notice_processor = nullptr;
  decltype(&::PQexec) exec = nullptr;
  decltype(&::PQexecParams) exec_params = nullptr;
  decltype(&::PQresultStatus) result_status = nullptr;
  decltype(&::PQresultErrorMessage) result_error_message = nullptr;
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQntuples) ntuples = nullptr;
  decltype(&::PQnfields) nfields = nullptr;
  decltype(&::PQgetvalue) getvalue = nullptr;
  decltype(&::PQgetlength) getlength = nullptr;
  decltype(&::PQftype) ftype = nullptr;
  decltype(&::PQunescapeBytea) unescape_bytea = nullptr;
  decltype(&::PQresultErrorField) result_error_field = nullptr;
};

// Where a PostgreSQL is: an address that may hold a secret, and what of it can be shown.

struct PostgresPlace {
  std::string shown;  // "host:5432, database lockstep"
  bool holds_password = false;
};

// Of "postgresql://USER@HOST/DATABASE" and what else may stand there. An error shows nothing of it.
Result<PostgresPlace> postgres_place(const Libpq& libpq, const std::string& address);

// For an address that others can read, as those on a command line: an error when it holds a password.
Result<void> check_without_secret(const std::string& address);

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
