#include "service/store/libpq.h"

#include <dlfcn.h>

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

}  // namespace lockstep::service
