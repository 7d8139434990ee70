#include "service/store/postgres_place.h"

#include <map>

#include <fmt/format.h>

namespace lockstep::service {
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

}  // namespace lockstep::service
