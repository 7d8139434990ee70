#include "cli/store_flag.h"

#include <cstdlib>

#include "cli/service_client.h"
#include "service/store/postgres.h"

namespace lockstep::cli {

Result<service::StorePlace> store_place(const Args& args) {
  if (const auto given = args.value("store")) {
    TRY(service::check_without_secret(*given));
    return service::StorePlace{state_folder(args), *given};
  }
  const char* const usual = std::getenv("LOCKSTEP_STORE");
  return service::StorePlace{state_folder(args), usual == nullptr ? "" : usual};
}

}  // namespace lockstep::cli
