// Where a PostgreSQL is: an address that may hold a secret, and what of it can be shown.
#pragma once

#include <string>

#include "service/store/libpq.h"

namespace lockstep::service {

struct PostgresPlace {
  std::string shown;  // "host:5432, database lockstep"
  bool holds_password = false;
};

// Of "postgresql://USER@HOST/DATABASE" and what else may stand there. An error shows nothing of it.
Result<PostgresPlace> postgres_place(const Libpq& libpq, const std::string& address);

// For an address that others can read, as those on a command line: an error when it holds a password.
Result<void> check_without_secret(const std::string& address);

}  // namespace lockstep::service
