#include "service/growth.h"

#include <algorithm>
#include <sys/stat.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/json.h"

namespace lockstep::service {

namespace {

constexpr std::size_t kLargestGrowth = std::size_t{1} << 20;

std::filesystem::path growth_in(const AttemptFolder& folder) {
  return folder.path / "growth.json";
}

}  // namespace

bool may_grow(const Job& job, const Attempt& attempt, std::chrono::seconds earliest, std::int64_t now_ms) {
  const auto ran = std::chrono::milliseconds(now_ms - attempt.started_ms);
  return attempt.workers < job.spec.workers_max && !job.spec.checkpoint_directory.empty() &&
         !job.cancel_asked && earliest.count() > 0 && ran >= earliest;
}

bool has_saved(const Attempt& attempt, std::int64_t newest_checkpoint_ms) {
  return newest_checkpoint_ms > attempt.started_ms;
}

std::string in_words(const Growth& growth) {
  const std::string what = fmt::format("to go on with {} ranks from its checkpoint", growth.workers);
  if (growth.returned.empty()) return what + ": there is room";
  return fmt::format("{}: {} {} back", what, fmt::join(growth.returned, ", "),
                     growth.returned.size() == 1 ? "is" : "are");
}

Result<void> write_growth(const AttemptFolder& folder, const Growth& growth) {
  const base::Json json = {{"workers", growth.workers}, {"returned", growth.returned}};
  return base::write_file(growth_in(folder), base::to_text(json, base::JsonLayout::kOneLine));
}

std::optional<Growth> read_growth(const AttemptFolder& folder) {
  const auto text = base::read_file(growth_in(folder), kLargestGrowth);
  const auto json = text.ok() ? base::parse_json(text.value(), "growth") : Result<base::Json>(text.error());
  if (!json.ok()) return std::nullopt;
  try {
    return Growth{json.value().at("workers").get<int>(),
                  json.value().at("returned").get<std::vector<std::string>>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

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
