// SQLite at one edge: a file, made when it is not there.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/process/descriptor.h"
#include "service/store/database.h"

struct sqlite3;

namespace lockstep::service {

class SqliteDatabase : public Database {
 public:
  // Write-ahead log, each commit on the disk before it returns. A file that is damaged, or whose log is, is
  // refused and left as it is.
  static Result<std::unique_ptr<SqliteDatabase>> open(const std::filesystem::path& path);
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;
  ~SqliteDatabase() override;

  // For whoever serves from it: it can be written, and a mark beside it tells until the end that the log is
  // needed. Where the mark is left, the log is not and the file is as it was, somebody took away what was
  // written last.
  Result<void> claim();
  // The mark of a service that was killed was there, and its log was merged by somebody who knows no mark.
  bool was_merged_elsewhere() const { return was_merged_elsewhere_; }

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
  SqliteDatabase(sqlite3* database, std::filesystem::path path)
      : path_(std::move(path)), database_(database) {}
  Result<void> check_sound();
  Result<void> write_mark();
  void note_extent(int frames) const;
  static int after_commit(void* self, sqlite3* database, const char* name, int pages_in_log);

  std::filesystem::path path_;
  bool is_claimed_ = false;
  bool was_merged_elsewhere_ = false;
  std::string counter_in_mark_ = {};
  process::Descriptor extent_ = {};  // of a file beside it
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace lockstep::service
