#include "cli/control_log.h"

#include <chrono>
#include <utility>

#include <fmt/chrono.h>

namespace lockstep::cli {

namespace fs = std::filesystem;

Result<ControlLog> ControlLog::in_folder(const fs::path& folder) {
  constexpr const char* kHint = "choose another place with -o DIR";
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return Error{"cannot make the folder", folder.string(), fault.message(), kHint};
  if (!fs::is_empty(folder, fault) || fault)
    return Error{"cannot use the folder", folder.string(), fault ? fault.message() : "it is not empty",
                 kHint};
  process::OutputFiles files = TRY(process::OutputFiles::open(folder, "rank_0"));
  return ControlLog(folder, std::move(files));
}

void ControlLog::discard() {
  std::error_code ignored;
  for (const fs::path& file : evidence()) fs::remove(file, ignored);
  fs::remove(folder_, ignored);
}

std::vector<fs::path> ControlLog::evidence() const {
  return {folder_ / "rank_0.out", errors()};
}

fs::path new_folder_name() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("lockstep-isolate-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
}

}  // namespace lockstep::cli
