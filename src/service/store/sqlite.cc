#include "service/store/sqlite.h"

#include <utility>

#include <sqlite3.h>

namespace lockstep::service {
namespace {

Error error_of(sqlite3* database) {
  return Error{"the job store failed", ::sqlite3_db_filename(database, "main"), ::sqlite3_errmsg(database),
               "is the disk full or the folder read-only?"};
}

constexpr const char* kSettings =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=5000;";

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  ::sqlite3_finalize(statement);
}

Statement& Statement::with(std::int64_t value) {
  ::sqlite3_bind_int64(statement_.get(), ++bound_, value);
  return *this;
}

Statement& Statement::with(std::string_view text) {
  ::sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::with_bytes(std::string_view bytes) {
  ::sqlite3_bind_blob(statement_.get(), ++bound_, bytes.data(), static_cast<int>(bytes.size()),
                      SQLITE_TRANSIENT);
  return *this;
}

Result<bool> Statement::step() {
  const int outcome = ::sqlite3_step(statement_.get());
  if (outcome == SQLITE_ROW) return true;
  if (outcome == SQLITE_DONE) return false;
  return error_of(::sqlite3_db_handle(statement_.get()));
}

Result<void> Statement::run() {
  TRY(step());
  return {};
}

std::int64_t Statement::number(int column) const {
  return ::sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const void* bytes = ::sqlite3_column_blob(statement_.get(), column);
  const int size = ::sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

void Database::Close::operator()(sqlite3* database) const {
  ::sqlite3_close_v2(database);
}

Result<Database> Database::open(const std::filesystem::path& path) {
  sqlite3* raw = nullptr;
  const int outcome =
      ::sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(raw);
  if (outcome != SQLITE_OK)
    return Error{"cannot open the job store", path.string(), ::sqlite3_errstr(outcome), ""};
  TRY(database.execute(kSettings));
  return database;
}

Result<void> Database::execute(const char* statements) {
  if (::sqlite3_exec(database_.get(), statements, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return error_of(database_.get());
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int outcome =
      ::sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
  if (outcome != SQLITE_OK) return error_of(database_.get());
  Statement statement;
  statement.statement_.reset(raw);
  return statement;
}

Result<Transaction> Transaction::begin(Database& database) {
  TRY(database.execute("BEGIN IMMEDIATE"));
  return Transaction(&database);
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  const auto ignored = database_->execute("ROLLBACK");
  static_cast<void>(ignored.ok());
}

Result<void> Transaction::commit() {
  TRY(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace lockstep::service
