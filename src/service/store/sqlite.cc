#include "service/store/sqlite.h"

#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/text_fields.h"

namespace lockstep::service {
namespace {

Error error_of(sqlite3* database) {
  return Error{"the job store failed", ::sqlite3_db_filename(database, "main"), ::sqlite3_errmsg(database),
               "is the disk full or the folder read-only?"};
}

constexpr const char* kSettings =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000;";

constexpr Dialect kSqlite = {.prelude = "",
                             .name = "TEXT",
                             .integer = "INTEGER",
                             .bytes = "BLOB",
                             .counter = "INTEGER PRIMARY KEY AUTOINCREMENT",
                             .table_end = "WITHOUT ROWID"};

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

// The values live until the statement has run.
void bind(sqlite3_stmt* statement, int place, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    ::sqlite3_bind_int64(statement, place, *number);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    ::sqlite3_bind_text(statement, place, text->data(), static_cast<int>(text->size()), SQLITE_STATIC);
  } else {
    const std::string_view bytes = std::get<Bytes>(value).bytes;
    ::sqlite3_bind_blob(statement, place, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
  }
}

Columns row_of(sqlite3_stmt* statement) {
  Columns row;
  for (int column = 0; column < ::sqlite3_column_count(statement); ++column) {
    const void* bytes = ::sqlite3_column_blob(statement, column);
    const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(statement, column));
    row.emplace_back(bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), size));
  }
  return row;
}

}  // namespace

void SqliteDatabase::Close::operator()(sqlite3* database) const {
  ::sqlite3_close_v2(database);
}

Result<std::unique_ptr<Database>> SqliteDatabase::open(const std::filesystem::path& path) {
  sqlite3* raw = nullptr;
  const int outcome =
      ::sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  std::unique_ptr<Database> database(new SqliteDatabase(raw));
  if (outcome != SQLITE_OK)
    return Error{"cannot open the job store", path.string(), ::sqlite3_errstr(outcome), ""};
  TRY(database->run_script(kSettings));
  return database;
}

const Dialect& SqliteDatabase::dialect() const {
  return kSqlite;
}

Result<Rows> SqliteDatabase::run(std::string_view sql, const std::vector<Value>& values) {
  sqlite3_stmt* raw = nullptr;
  if (::sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr) !=
      SQLITE_OK)
    return error_of(database_.get());
  const Statement statement(raw);
  for (std::size_t i = 0; i < values.size(); ++i) bind(raw, static_cast<int>(i) + 1, values[i]);
  Rows rows;
  for (;;) {
    const int outcome = ::sqlite3_step(raw);
    if (outcome == SQLITE_DONE) return rows;
    if (outcome != SQLITE_ROW) return error_of(database_.get());
    rows.push_back(row_of(raw));
  }
}

Result<void> SqliteDatabase::run_script(const std::string& statements) {
  if (::sqlite3_exec(database_.get(), statements.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return error_of(database_.get());
}

Result<void> SqliteDatabase::begin() {
  return run_script("BEGIN IMMEDIATE");
}

Result<void> SqliteDatabase::commit() {
  return run_script("COMMIT");
}

void SqliteDatabase::roll_back() {
  ::sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<int> SqliteDatabase::schema_version() {
  const Rows rows = TRY(run("PRAGMA user_version", {}));
  return base::number_in<int>(rows.at(0).at(0)).value_or(0);
}

Result<void> SqliteDatabase::set_schema_version(int version) {
  return run_script(fmt::format("PRAGMA user_version = {}", version));
}

Result<void> SqliteDatabase::check_writable() {
  Transaction transaction = TRY(Transaction::begin(*this));
  const int version = TRY(schema_version());
  TRY(set_schema_version(version));
  return transaction.commit();
}

}  // namespace lockstep::service
