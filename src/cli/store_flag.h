// Where `lockstep serve` keeps its jobs.
#pragma once

#include "base/result.h"
#include "cli/args.h"
#include "cli/verb.h"
#include "service/store/open_store.h"

namespace lockstep::cli {

inline constexpr Flag kStoreFlag = {
    .name = "store",
    .value_name = "URL",
    .help =
        "Keep jobs in PostgreSQL, as postgresql://USER@HOST/DATABASE; default: LOCKSTEP_STORE, else a file"};

// The variable may hold a password; the flag, which everybody can read, may not.
Result<service::StorePlace> store_place(const Args& args);

}  // namespace lockstep::cli
