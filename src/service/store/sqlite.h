// SQLite at one edge: a connection and a prepared statement, with our errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lockstep::service {

class Database;

// Bound from the left: Statement(...).with(a).with(b); columns are read from 0.
class Statement {
 public:
  Statement& with(std::int64_t value);
  Statement& with(std::string_view text);
  Statement& with_bytes(std::string_view bytes);

  Result<bool> step();  // true: a row is there
  Result<void> run();   // for what gives no rows

  std::int64_t number(int column) const;
  std::string text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

class Database {
 public:
  // Made when it is not there. Write-ahead log, each commit on the disk before it returns.
  static Result<Database> open(const std::filesystem::path& path);

  Result<void> execute(const char* statements);
  Result<Statement> prepare(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

// Rolls back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace lockstep::service
