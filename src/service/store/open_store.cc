#include "service/store/open_store.h"

#include <array>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "service/job/job_id.h"
#include "service/store/postgres.h"
#include "service/store/seal.h"
#include "service/store/sql_store.h"
#include "service/store/sqlite.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kServiceIdBytes = 4;
constexpr std::size_t kLongestService = 255;

std::string own_host() {
  std::array<char, 65> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Among those that share a store: "node7-3f9a12c0", where it was first started and what no other one is
// called.
Result<std::string> service_name_in(const fs::path& folder) {
  const fs::path path = folder / "service.id";
  const auto there = base::read_file(path, kLongestService);
  if (there.ok()) return std::string(base::trimmed(there.value()));
  const std::string made = fmt::format("{}-{}", own_host(), in_hex(random_bytes(kServiceIdBytes)));
  TRY(base::write_file(path, made + "\n"));
  return made;
}

Result<std::unique_ptr<Store>> open_sqlite(const fs::path& folder) {
  Seal seal = TRY(Seal::with_key_at(folder / "key"));
  return SqlStore::over(TRY(SqliteDatabase::open(folder / "jobs.db")), std::move(seal), "");
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StorePlace& place) {
  if (place.address.empty()) return open_sqlite(place.folder);
  Seal seal = TRY(Seal::with_key_at(place.folder / "key"));
  return SqlStore::over(TRY(PostgresDatabase::open(place.address)), std::move(seal), "");
}

Result<std::unique_ptr<Store>> claim_store(const StorePlace& place) {
  if (place.address.empty()) return open_sqlite(place.folder);
  Seal seal = TRY(Seal::with_key_at(place.folder / "key"));
  const std::string service = TRY(service_name_in(place.folder));
  std::unique_ptr<PostgresDatabase> database = TRY(PostgresDatabase::open(place.address));
  TRY(database->claim(service));
  return SqlStore::over(std::move(database), std::move(seal), service);
}

}  // namespace lockstep::service
