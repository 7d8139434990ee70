// The job store that a service has: a file in its folder, or a database that it shares with others.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "service/store/store.h"

namespace lockstep::service {

struct StorePlace {
  std::filesystem::path folder;  // of the service; holds the key of what is sealed, and the file of SQLite
  std::string address = {};      // "postgresql://..."; empty: SQLite
};

// For tokens, which are nobody's jobs.
Result<std::unique_ptr<Store>> open_store(const StorePlace& place);

// For the one process that serves the folder: where several services share a store, its jobs are those of
// this service, and no other process can claim to be it.
// `on_note` hears what is no trouble and worth knowing.
Result<std::unique_ptr<Store>> claim_store(const StorePlace& place,
                                           const std::function<void(const Error&)>& on_note = {});

}  // namespace lockstep::service
