#include "service/store/sqlite.h"

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <tuple>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "service/store/sqlite_log.h"

namespace lockstep::service {
namespace {

Error damaged(const std::filesystem::path& path, std::string why) {
  return {"the job store is damaged", path.string(), std::move(why),
          fmt::format("nothing was changed; restore a backup, or try: sqlite3 {0} .recover | sqlite3 new.db; "
                      "to begin a new one, move {0} and {0}-wal away",
                      path.string())};
}

Error error_of(sqlite3* database) {
  const std::filesystem::path path = ::sqlite3_db_filename(database, "main");
  const int code = ::sqlite3_errcode(database);
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) return damaged(path, ::sqlite3_errmsg(database));
  return {"the job store failed", path.string(), ::sqlite3_errmsg(database),
          "is the disk full or the folder read-only?"};
}

std::filesystem::path beside(std::filesystem::path path, std::string_view ending) {
  path += ending;
  return path;
}

std::filesystem::path log_of(const std::filesystem::path& path) {
  return beside(path, "-wal");
}

std::filesystem::path mark_of(const std::filesystem::path& path) {
  return beside(path, ".in_use");
}

// How much of the log was committed, as the service last knew it: a damaged log looks like one that ends
// earlier.
std::filesystem::path extent_beside(const std::filesystem::path& path) {
  return beside(path, ".committed");
}

std::uintmax_t bytes_in(const std::filesystem::path& path) {
  std::error_code fault;
  const auto bytes = std::filesystem::file_size(path, fault);
  return fault ? 0 : bytes;
}

bool is_found(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool has_log(const std::filesystem::path& path) {
  constexpr std::uintmax_t kHeadOfLog = 32;
  return bytes_in(log_of(path)) > kHeadOfLog;
}

std::string as_text(const LogExtent& extent) {
  return fmt::format("{:016x} {:010}\n", extent.salt, extent.frames);
}

std::optional<LogExtent> noted_extent(const std::filesystem::path& path) {
  constexpr std::size_t kLongest = 64;
  const auto text = base::read_file(extent_beside(path), kLongest);
  if (!text.ok()) return std::nullopt;
  const std::string_view salt = base::word_of(text.value());
  const auto salt_number = base::number_in<std::uint64_t>(salt, 16);
  const auto frames =
      base::number_in<std::uint32_t>(base::trimmed(std::string_view(text.value()).substr(salt.size())));
  if (!salt_number || !frames) return std::nullopt;
  return LogExtent{*salt_number, *frames};
}

// Of another log than the one that was noted nothing is known.
Result<void> check_log(const std::filesystem::path& path) {
  const auto noted = noted_extent(path);
  if (!noted || noted->frames == 0) return {};
  const auto found = extent_of_log(log_of(path));
  if (!found) return damaged(log_of(path), "its head is damaged; the latest changes were in it");
  if (found->salt != noted->salt || found->frames >= noted->frames) return {};
  return damaged(log_of(path), fmt::format("of {} pages that were committed, {} can be read", noted->frames,
                                           found->frames));
}

// The file change counter of the database's header, as text. SQLite raises it with a write to the first page,
// which is in the file once the log was merged: it tells whether that happened.
constexpr int kCounterAt = 24;
constexpr int kCounterBytes = 4;
using CounterBytes = std::array<unsigned char, kCounterBytes>;

std::string counter_in(const CounterBytes& bytes) {
  std::uint32_t counter = 0;
  for (const unsigned char byte : bytes) counter = counter << 8 | byte;
  return fmt::format("{}\n", counter);
}

std::string counter_in_file(const std::filesystem::path& path) {
  CounterBytes bytes{};
  std::ifstream file(path, std::ios::binary);
  file.seekg(kCounterAt);
  file.read(reinterpret_cast<char*>(bytes.data()), kCounterBytes);
  return counter_in(bytes);
}

// By SQLite's own descriptor: to close another one of the same file would give up SQLite's locks on it.
std::string counter_in_open_file(sqlite3* database) {
  CounterBytes bytes{};
  sqlite3_file* file = nullptr;
  ::sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file != nullptr && file->pMethods != nullptr)
    file->pMethods->xRead(file, bytes.data(), kCounterBytes, kCounterAt);
  return counter_in(bytes);
}

// A service was killed, its log is gone, and the file is not as that service knew it.
bool is_merged_elsewhere(const std::filesystem::path& path) {
  if (!is_found(path) || !is_found(mark_of(path)) || has_log(path) || bytes_in(path) == 0) return false;
  constexpr std::size_t kLongestMark = 64;
  const auto mark = base::read_file(mark_of(path), kLongestMark);
  return mark.ok() && !mark.value().empty() && mark.value() != counter_in_file(path);
}

// SQLite takes a log without a header of its own for none, and a file of no bytes for a new store: what was
// written would be gone without a word.
Result<void> check_files(const std::filesystem::path& path) {
  const std::filesystem::path log = log_of(path);
  constexpr std::size_t kMagicBytes = 4;
  constexpr std::uintmax_t kSmallestPage = 512;  // all others are multiples
  if (bytes_in(log) > 0) {
    if (bytes_in(path) == 0)
      return damaged(path, "its write-ahead log exists, but the database is missing or empty");
    std::string magic(kMagicBytes, '\0');
    std::ifstream(log, std::ios::binary).read(magic.data(), kMagicBytes);
    if (!magic.starts_with(std::string_view("\x37\x7f\x06", 3)))
      return damaged(log, "it is not a SQLite write-ahead log; the latest changes were in it");
  }
  // Without a log that may have the rest, the file is whole pages.
  if (bytes_in(log) == 0 && bytes_in(path) % kSmallestPage != 0) return damaged(path, "it was cut short");
  if (is_found(path) && bytes_in(path) == 0 && is_found(mark_of(path))) return damaged(path, "it is empty");
  if (is_found(path) && is_found(mark_of(path)) && !has_log(path) && !is_merged_elsewhere(path)) {
    Error lost =
        damaged(path, fmt::format("{} is missing or empty; it holds the latest changes", log.string()));
    lost.hint = fmt::format("put it back; or, to go on without it, remove {}", mark_of(path).string());
    return lost;
  }
  if (has_log(path)) return check_log(path);
  return {};
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

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(const std::filesystem::path& path) {
  TRY(check_files(path));
  const bool was_merged_elsewhere = is_merged_elsewhere(path);
  sqlite3* raw = nullptr;
  const int outcome =
      ::sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(raw, path));
  database->was_merged_elsewhere_ = was_merged_elsewhere;
  if (outcome != SQLITE_OK)
    return Error{"cannot open the job store", path.string(), ::sqlite3_errstr(outcome), ""};
  TRY(database->check_sound());
  return database;
}

// Until it is known to be sound nothing is written, not even what the log holds.
Result<void> SqliteDatabase::check_sound() {
  ::sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  TRY(run_script(kSettings));
  const Rows rows = TRY(run("PRAGMA quick_check(1)", {}));
  const std::string found = rows.empty() ? "" : rows.front().at(0);
  if (found != "ok") return damaged(path_, found);
  const int version = TRY(schema_version());
  const bool is_new = TRY(run("SELECT 1 FROM sqlite_schema LIMIT 1", {})).empty();
  if (version < 0) return damaged(path_, fmt::format("its version is {}", version));
  if (version == 0 && !is_new)
    return Error{"cannot use the job store", path_.string(), "it is a database of another program",
                 "move it away, or choose another folder with --state DIR"};
  ::sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  return {};
}

Result<void> SqliteDatabase::claim() {
  TRY(check_writable());  // from here on there is a log
  TRY(write_mark());
  extent_ = process::Descriptor(
      ::open(extent_beside(path_).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  is_claimed_ = true;
  ::sqlite3_wal_hook(database_.get(), after_commit, this);
  return {};
}

// With each commit, after it: so it never tells of more than there is. Without it there is less care.
void SqliteDatabase::note_extent(int frames) const {
  const auto salt = salt_of_log(log_of(path_));
  if (!salt || !extent_.is_open()) return;
  const std::string text = as_text({*salt, static_cast<std::uint32_t>(frames)});
  std::ignore = ::pwrite(extent_.get(), text.data(), text.size(), 0);
}

Result<void> SqliteDatabase::write_mark() {
  std::string counter = counter_in_open_file(database_.get());
  if (counter == counter_in_mark_) return {};
  TRY(base::write_file(mark_of(path_), counter));
  counter_in_mark_ = std::move(counter);
  return {};
}

// In place of SQLite's own hook, which merges the log too. Whenever it was, by us or a program beside us, the
// mark is told, and the first page is written once more: the next one to merge the log changes it then.
int SqliteDatabase::after_commit(void* self, sqlite3* database, const char* name, int pages_in_log) {
  constexpr int kMostPagesInLog = 1000;  // as SQLite's own
  auto* const us = static_cast<SqliteDatabase*>(self);
  us->note_extent(pages_in_log);
  if (pages_in_log >= kMostPagesInLog)
    ::sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  const std::string before = us->counter_in_mark_;
  // Without it a lost log may be taken for a merged one: less care, and no reason to refuse a commit.
  if (!us->write_mark().ok() || us->counter_in_mark_ == before) return SQLITE_OK;
  ::sqlite3_db_release_memory(database);  // SQLite counts from the first page as it was last read
  std::ignore = us->check_writable();
  return SQLITE_OK;
}

// The mark goes before the log does. One of a service that was killed goes with the log that is merged now.
SqliteDatabase::~SqliteDatabase() {
  if (is_claimed_) ::unlink(mark_of(path_).c_str());
  if (is_claimed_) ::unlink(extent_beside(path_).c_str());
  const bool had_log = is_found(log_of(path_));
  database_.reset();
  if (is_claimed_ || !had_log || is_found(log_of(path_))) return;
  for (const std::filesystem::path& mark : {mark_of(path_), extent_beside(path_)}) ::unlink(mark.c_str());
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
