// SQLite at one edge: a file, made when it is not there.
#pragma once

#include <filesystem>
#include <memory>

#include "service/store/database.h"

struct sqlite3;

namespace lockstep::service {

class SqliteDatabase : public Database {
 public:
  // Write-ahead log, each commit on the disk before it returns.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& path);

  const Dialect& dialect() const override;
  Result<Rows> run(std::string_view sql, const std::vector<Value>& values) override;
  Result<void> run_script(const std::string& statements) override;
  Result<void> begin() override;
  Result<void> begin_alone() override { return begin(); }
  Result<void> commit() override;
  void roll_back() override;
  Result<int> schema_version() override;
  Result<void> set_schema_version(int version) override;
  Result<void> check_writable() override;
  bool is_reachable() const override { return true; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit SqliteDatabase(sqlite3* database) : database_(database) {}

  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace lockstep::service
