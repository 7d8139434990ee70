// A database that speaks SQL, with our errors: what SQLite and PostgreSQL have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace lockstep::service {

struct Bytes {
  std::string_view bytes;
};
using Value = std::variant<std::int64_t, std::string_view, Bytes>;

using Columns = std::vector<std::string>;  // numbers as text, what is not there as nothing
using Rows = std::vector<Columns>;

// What the two spell differently.
struct Dialect {
  std::string_view prelude;  // of the first tables
  std::string_view name;     // type of texts that are compared byte by byte
  std::string_view integer;  // of 64 bits
  std::string_view bytes;
  std::string_view counter;  // a key that grows by itself
  std::string_view table_end;
};

class Database {
 public:
  virtual ~Database() = default;

  virtual const Dialect& dialect() const = 0;

  // Each ? stands for the next value.
  virtual Result<Rows> run(std::string_view sql, const std::vector<Value>& values = {}) = 0;
  virtual Result<void> run_script(const std::string& statements) = 0;

  virtual Result<void> begin() = 0;
  virtual Result<void> begin_alone() = 0;  // nobody else changes tables until the end
  virtual Result<void> commit() = 0;
  virtual void roll_back() = 0;

  virtual Result<int> schema_version() = 0;
  virtual Result<void> set_schema_version(int version) = 0;

  virtual Result<void> check_writable() = 0;
  virtual bool is_reachable() const = 0;
};

// Rolls back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database) {
    TRY(database.begin());
    return Transaction(&database);
  }
  static Result<Transaction> begin_alone(Database& database) {
    TRY(database.begin_alone());
    return Transaction(&database);
  }
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() {
    if (database_ != nullptr) database_->roll_back();
  }

  Result<void> commit() {
    TRY(database_->commit());
    database_ = nullptr;
    return {};
  }

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace lockstep::service
