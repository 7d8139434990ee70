#include "service/retry/checkpoints.h"

#include <algorithm>
#include <sys/stat.h>

namespace lockstep::service {
namespace {

constexpr int kMostLookedAt = 10'000;

}  // namespace

std::int64_t newest_in(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::int64_t newest = 0;
  std::error_code fault;
  int looked_at = 0;
  for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, fault),
       end;
       !fault && entry != end && looked_at < kMostLookedAt; entry.increment(fault), ++looked_at) {
    struct stat found {};
    if (::lstat(entry->path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    newest = std::max<std::int64_t>(newest, found.st_mtim.tv_sec * 1000 + found.st_mtim.tv_nsec / 1'000'000);
  }
  return newest;
}

}  // namespace lockstep::service
