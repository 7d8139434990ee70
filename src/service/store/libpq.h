// The client library of PostgreSQL, loaded by who asks for it: linked, it and the twenty libraries behind it
// would double the time that every command takes to start, and every node would need them.
#pragma once

#include <memory>

#include <libpq-fe.h>

#include "base/result.h"

namespace lockstep::service {

struct Libpq {
  static Result<Libpq> load();

  decltype(&::PQconninfoParse) conninfo_parse = nullptr;
  decltype(&::PQconninfoFree) conninfo_free = nullptr;
  decltype(&::PQfreemem) freemem = nullptr;
  decltype(&::PQconnectdbParams) connectdb_params = nullptr;
  decltype(&::PQfinish) finish = nullptr;
  decltype(&::PQstatus) status = nullptr;
  decltype(&::PQparameterStatus) parameter_status = nullptr;
  decltype(&::PQerrorMessage) error_message = nullptr;
  decltype(&::PQsetErrorVerbosity) set_error_verbosity = nullptr;
  decltype(&::PQsetNoticeProcessor) set_notice_processor = nullptr;
  decltype(&::PQexec) exec = nullptr;
  decltype(&::PQexecParams) exec_params = nullptr;
  decltype(&::PQresultStatus) result_status = nullptr;
  decltype(&::PQresultErrorMessage) result_error_message = nullptr;
  decltype(&::PQclear) clear = nullptr;
  decltype(&::PQntuples) ntuples = nullptr;
  decltype(&::PQnfields) nfields = nullptr;
  decltype(&::PQgetvalue) getvalue = nullptr;
  decltype(&::PQgetlength) getlength = nullptr;
  decltype(&::PQftype) ftype = nullptr;
  decltype(&::PQunescapeBytea) unescape_bytea = nullptr;
  decltype(&::PQresultErrorField) result_error_field = nullptr;
};

}  // namespace lockstep::service
