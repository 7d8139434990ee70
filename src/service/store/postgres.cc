#include "service/store/postgres.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/text_fields.h"

namespace lockstep::service {

namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

// Never closed: what it holds is used until the process ends.
Result<Libpq> Libpq::load() {
  void* const library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{"cannot use PostgreSQL", "libpq.so.5", ::dlerror(),
                 "install PostgreSQL's client library (Debian: libpq5)"};
  }
  Libpq found;
  const bool has_all =
      find(library, "PQconninfoParse", found.conninfo_parse) &&
      find(library, "PQconninfoFree", found.conninfo_free) && find(library, "PQfreemem", found.freemem) &&
      find(library, "PQconnectdbParams", found.connectdb_params) && find(library, "PQfinish", found.finish) &&
      find(library, "PQstatus", found.status) && find(library, "PQparameterStatus", found.parameter_status) &&
      find(library, "PQerrorMessage", found.error_message) &&
      find(library, "PQsetErrorVerbosity", found.set_error_verbosity) &&
      find(library, "PQsetNoticeProcessor", found.set_notice_processor) &&
      find(library, "PQexec", found.exec) && find(library, "PQexecParams", found.exec_params) &&
      find(library, "PQresultStatus", found.result_status) &&
      find(library, "PQresultErrorMessage", found.result_error_message) &&
      find(library, "PQclear", found.clear) && find(library, "PQntuples", found.ntuples) &&
      find(library, "PQnfields", found.nfields) && find(library, "PQgetvalue", found.getvalue) &&
      find(library, "PQgetlength", found.getlength) && find(library, "PQftype", found.ftype) &&
      find(library, "PQunescapeBytea", found.unescape_bytea) &&
      find(library, "PQresultErrorField", found.result_error_field);
  if (!has_all) return Error{"cannot use PostgreSQL", "libpq.so.5", ::dlerror(), "install a later one"};
  return found;
}

namespace {

std::string shown(const std::map<std::string, std::string>& values) {
  const auto value = [&](const char* name, const char* otherwise) {
    const auto found = values.find(name);
    return found == values.end() ? std::string(otherwise) : found->second;
  };
  return fmt::format("{}:{}, database {}", value("host", "this machine"), value("port", "5432"),
                     value("dbname", "of that user's name"));
}

}  // namespace

Result<PostgresPlace> postgres_place(const Libpq& libpq, const std::string& address) {
  const bool is_address = address.starts_with("postgresql://") || address.starts_with("postgres://");
  // What the library says of an address that it does not understand quotes it, with the password.
  char* fault = nullptr;
  PQconninfoOption* const options = is_address ? libpq.conninfo_parse(address.c_str(), &fault) : nullptr;
  if (fault != nullptr) libpq.freemem(fault);
  if (options == nullptr) {
    return Error{"wrong place of the job store", "", "not an address of PostgreSQL",
                 "as postgresql://USER@HOST/DATABASE"};
  }
  std::map<std::string, std::string> values;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val != nullptr) values[option->keyword] = option->val;
  }
  libpq.conninfo_free(options);
  return PostgresPlace{shown(values), values.contains("password") || values.contains("sslpassword")};
}

Result<void> check_without_secret(const std::string& address) {
  const Libpq libpq = TRY(Libpq::load());
  if (!TRY(postgres_place(libpq, address)).holds_password) return {};
  return Error{"refused the place of the job store", "",
               "it holds a password, which everybody on this machine can read from a command line",
               "put the password into ~/.pgpass or the file that PGPASSFILE names, or the whole address into "
               "LOCKSTEP_STORE"};
}

namespace {

constexpr std::chrono::seconds kBetweenTries{1};
constexpr std::chrono::seconds kPatienceForClaim{1};
constexpr Oid kBytesType = 17;

constexpr Dialect kPostgres = {
    .prelude =
        "DO $$ BEGIN IF to_regnamespace('lockstep') IS NULL THEN CREATE SCHEMA lockstep; END IF; END $$;",
    .name = R"(TEXT COLLATE "C")",
    .integer = "BIGINT",
    .bytes = "BYTEA",
    .counter = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    .table_end = ""};

// A commit is on the disk before it returns, whatever the server is used to. The server too notices a host
// that is gone, and lets go of what it had claimed.
constexpr const char* kSession = R"(
SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');
SET search_path TO lockstep;
SET client_min_messages TO warning;
SET tcp_keepalives_idle TO 10;
SET tcp_keepalives_interval TO 5;
SET tcp_keepalives_count TO 3;
)";

// $1, $2, ... in place of each ?.
std::string numbered(std::string_view sql) {
  std::string text;
  int number = 0;
  for (const char letter : sql) {
    if (letter == '?') {
      text += fmt::format("${}", ++number);
    } else {
      text += letter;
    }
  }
  return text;
}

// What a text of the server can hold: UTF-8 without zeros.
std::string storable(std::string_view text) {
  std::string storable;
  for (const char letter : base::to_valid_utf8(text)) {
    if (letter == '\0') {
      storable += "\uFFFD";
    } else {
      storable += letter;
    }
  }
  return storable;
}

// As the library wants them: pointers to texts that live as long as this.
class Parameters {
 public:
  explicit Parameters(const std::vector<Value>& values) {
    for (const Value& value : values) {
      const auto* bytes = std::get_if<Bytes>(&value);
      texts_.push_back(bytes == nullptr ? text_of(value) : std::string(bytes->bytes));
      formats_.push_back(bytes == nullptr ? 0 : 1);
    }
    for (const std::string& text : texts_) {
      pointers_.push_back(text.c_str());
      lengths_.push_back(static_cast<int>(text.size()));
    }
  }

  int count() const { return static_cast<int>(texts_.size()); }
  const char* const* pointers() const { return pointers_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  static std::string text_of(const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    return storable(std::get<std::string_view>(value));
  }

  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

// The connection is of no use any more. Without a code it is the library that speaks, not the server; the
// others: broken connections, a server that ends, one that became a standby.
bool is_about_connection(const char* code) {
  if (code == nullptr) return true;
  const std::string_view state = code;
  return state.starts_with("08") || state.starts_with("57P") || state == "25006";
}

std::string in_one_line(const char* message) {
  std::string line(base::trimmed(message));
  for (const char gap : {'\n', '\t'}) std::ranges::replace(line, gap, ' ');
  return line;
}

}  // namespace

Result<std::unique_ptr<PostgresDatabase>> PostgresDatabase::open(const std::string& address) {
  const Libpq libpq = TRY(Libpq::load());
  const PostgresPlace place = TRY(postgres_place(libpq, address));
  std::unique_ptr<PostgresDatabase> database(new PostgresDatabase(libpq, address, place.shown));
  TRY(database->connect());
  return database;
}

const Dialect& PostgresDatabase::dialect() const {
  return kPostgres;
}

Error PostgresDatabase::lost(const char* message) const {
  return {"the job store cannot be reached", shown_, in_one_line(message),
          "jobs run on, and a service tries again every second; psql with the same address tells more"};
}

// What stands before the address is only for one that says nothing of it.
Result<void> PostgresDatabase::connect() {
  constexpr std::array<const char*, 10> kNames = {"connect_timeout",           "tcp_user_timeout",
                                                  "keepalives_idle",           "keepalives_interval",
                                                  "keepalives_count",          "target_session_attrs",
                                                  "fallback_application_name", "dbname",
                                                  "client_encoding",           nullptr};
  const std::array<const char*, 10> values = {"3",        "10000",          "10",   "5",    "3", "read-write",
                                              "lockstep", address_.c_str(), "UTF8", nullptr};
  connection_.reset(libpq_.connectdb_params(kNames.data(), values.data(), 1));
  const bool is_there = libpq_.status(connection_.get()) == CONNECTION_OK;
  auto outcome = is_there ? prepare_session() : Result<void>(lost(libpq_.error_message(connection_.get())));
  if (!outcome.ok()) connection_.reset();
  return outcome;
}

Result<void> PostgresDatabase::connect_unless_there() {
  if (connection_ != nullptr) return {};
  if (is_in_transaction_) return lost("the connection was lost within a transaction");
  if (last_refusal_ && Clock::now() < next_try_) return *last_refusal_;
  const auto begin_of_try = Clock::now();
  auto outcome = connect();
  // Others wait for the same thread: most of the time is theirs.
  next_try_ = Clock::now() + std::max<Clock::duration>(kBetweenTries, 4 * (Clock::now() - begin_of_try));
  last_refusal_ = outcome.ok() ? std::optional<Error>() : outcome.error();
  return outcome;
}

Result<void> PostgresDatabase::prepare_session() {
  libpq_.set_error_verbosity(connection_.get(), PQERRORS_TERSE);  // no contents of rows in messages
  libpq_.set_notice_processor(
      connection_.get(), [](void*, const char*) {}, nullptr);
  const char* const encoding = libpq_.parameter_status(connection_.get(), "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
    return Error{"cannot use the job store", shown_,
                 fmt::format("its texts are {}, not UTF8", encoding == nullptr ? "unknown" : encoding),
                 "make a database with: createdb --encoding UTF8 --template template0 NAME"};
  }
  TRY(checked(libpq_.exec(connection_.get(), kSession)));
  return claimed_.empty() ? Result<void>() : take_claim();
}

Result<void> PostgresDatabase::take_claim() {
  const std::string name = "lockstep " + claimed_;
  const Rows rows = TRY(run_once("SELECT pg_try_advisory_lock(hashtextextended($1, 0))", {name}));
  if (rows.at(0).at(0) == "t") return {};
  return Error{"cannot serve", claimed_, "another process serves under this name",
               "its folder was copied, or an earlier connection is not over yet"};
}

// An earlier service that was just killed may still be there for the server.
Result<void> PostgresDatabase::claim(const std::string& name) {
  claimed_ = name;
  const auto end = Clock::now() + kPatienceForClaim;
  for (;;) {
    auto taken = take_claim();
    if (taken.ok() || connection_ == nullptr || Clock::now() > end) return taken;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Result<PostgresDatabase::Answer> PostgresDatabase::checked(PGresult* raw) {
  Answer answer(raw, libpq_.clear);
  const ExecStatusType status = libpq_.result_status(raw);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return answer;
  if (is_about_connection(libpq_.result_error_field(raw, PG_DIAG_SQLSTATE))) {
    Error error = lost(libpq_.error_message(connection_.get()));
    connection_.reset();
    return error;
  }
  return Error{"the job store failed", shown_, in_one_line(libpq_.result_error_message(raw)), ""};
}

Rows PostgresDatabase::rows_of(const PGresult* answer) const {
  Rows rows(static_cast<std::size_t>(libpq_.ntuples(answer)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int column = 0; column < libpq_.nfields(answer); ++column) {
      const char* const text = libpq_.getvalue(answer, static_cast<int>(i), column);
      const auto size = static_cast<std::size_t>(libpq_.getlength(answer, static_cast<int>(i), column));
      if (libpq_.ftype(answer, column) != kBytesType) {
        rows[i].emplace_back(text, size);
        continue;
      }
      std::size_t count = 0;
      unsigned char* const bytes =
          libpq_.unescape_bytea(reinterpret_cast<const unsigned char*>(text), &count);
      rows[i].emplace_back(reinterpret_cast<const char*>(bytes), count);
      libpq_.freemem(bytes);
    }
  }
  return rows;
}

Result<Rows> PostgresDatabase::run_once(const std::string& sql, const std::vector<Value>& values) {
  const Parameters parameters(values);
  const Answer answer =
      TRY(checked(libpq_.exec_params(connection_.get(), sql.c_str(), parameters.count(), nullptr,
                                     parameters.pointers(), parameters.lengths(), parameters.formats(), 0)));
  return rows_of(answer.get());
}

Result<Rows> PostgresDatabase::run(std::string_view sql, const std::vector<Value>& values) {
  const std::string text = numbered(sql);
  TRY(connect_unless_there());
  auto rows = run_once(text, values);
  if (rows.ok() || connection_ != nullptr || is_in_transaction_) return rows;
  TRY(connect_unless_there());
  return run_once(text, values);
}

Result<void> PostgresDatabase::run_script(const std::string& statements) {
  TRY(connect_unless_there());
  TRY(checked(libpq_.exec(connection_.get(), statements.c_str())));
  return {};
}

Result<void> PostgresDatabase::begin() {
  TRY(run("BEGIN", {}));
  is_in_transaction_ = true;
  return {};
}

Result<void> PostgresDatabase::begin_alone() {
  TRY(begin());
  auto locked = run("SELECT pg_advisory_xact_lock(hashtextextended('lockstep schema', 0))", {});
  if (locked.ok()) return {};
  roll_back();
  return std::move(locked).error();
}

Result<void> PostgresDatabase::commit() {
  TRY(run("COMMIT", {}));
  is_in_transaction_ = false;
  return {};
}

void PostgresDatabase::roll_back() {
  is_in_transaction_ = false;
  if (connection_ == nullptr) return;
  const auto ignored = run_once("ROLLBACK", {});
  static_cast<void>(ignored.ok());
}

Result<int> PostgresDatabase::schema_version() {
  const Rows there = TRY(run("SELECT to_regclass('lockstep.schema_version') IS NOT NULL", {}));
  if (there.at(0).at(0) != "t") return 0;
  const Rows rows = TRY(run("SELECT version FROM schema_version", {}));
  return rows.empty() ? 0 : base::number_in<int>(rows[0].at(0)).value_or(0);
}

Result<void> PostgresDatabase::set_schema_version(int version) {
  return run_script(
      fmt::format("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);"
                  "DELETE FROM schema_version; INSERT INTO schema_version VALUES ({})",
                  version));
}

Result<void> PostgresDatabase::check_writable() {
  const Rows rows = TRY(run("SHOW transaction_read_only", {}));
  if (rows.at(0).at(0) == "off") return {};
  return Error{"the job store cannot be written", shown_, "the server is read-only", ""};
}

}  // namespace lockstep::service
