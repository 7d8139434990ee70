#include "service/growth.h"

#include <algorithm>
#include <sys/stat.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/json.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/nodes/shares.h"

namespace lockstep::service {

namespace {

constexpr std::size_t kMaxGrowthBytes = std::size_t{1} << 20;
// Files in a checkpoint folder: walking more takes longer than a tick may.
constexpr int kMaxLookedAt = 10'000;

std::filesystem::path growth_file(const AttemptFolder& folder) {
  return folder.path / "growth.json";
}

// Whether it is worth to look for room: an attempt does not end before its time, and none without a place for
// checkpoints.
bool may_grow(const RunningAttempt& active, std::chrono::seconds earliest, std::int64_t now_ms) {
  const auto ran = std::chrono::milliseconds(now_ms - active.attempt.started_ms);
  return active.attempt.workers < active.job.spec.workers_max &&
         !active.job.spec.checkpoint_directory.empty() && !active.job.cancel_asked && earliest.count() > 0 &&
         ran >= earliest;
}

// What an attempt loses by its end is what it did since it saved something, and the ranks are told to end
// with time to save that too.
bool has_saved(const RunningAttempt& active) {
  return newest_in(active.job.spec.checkpoint_directory) > active.attempt.started_ms;
}

// As many ranks as there is room for; none: no more than there are.
std::optional<Growth> growth_in_room(const RunningAttempt& active, const AttemptFolder& folder,
                                     const RoomToGrow& room) {
  const Job& job = active.job;
  Growth growth;
  if (job.engine == EngineKind::kLocal) {
    if (room.others_wait) return std::nullopt;
    growth.workers = active.attempt.workers + room_in(room.machine_free, job.per_worker);
  } else {
    Cluster::Room found =
        room.clusters.of(job).room_for(job, active.attempt, names_told(folder, active.attempt.nodes));
    growth = {found.workers, std::move(found.returned)};
  }
  growth.workers = std::min(growth.workers, job.spec.workers_max);
  return growth.workers > active.attempt.workers ? std::optional(std::move(growth)) : std::nullopt;
}

}  // namespace

Result<std::optional<Growth>> GrowthJudge::judge(const RunningAttempt& active, const AttemptFolder& folder,
                                                 const RoomToGrow& room, std::int64_t now_ms) const {
  if (active.is_told_to_grow || !may_grow(active, earliest_, now_ms)) return std::optional<Growth>();
  if (auto begun = TRY(read_growth(folder))) return begun;
  const std::optional<Growth> growth = growth_in_room(active, folder, room);
  return growth && has_saved(active) ? growth : std::nullopt;
}

std::string in_words(const Growth& growth) {
  const std::string what = fmt::format("to go on with {} ranks from its checkpoint", growth.workers);
  if (growth.returned.empty()) return what + ": there is room";
  return fmt::format("{}: {} {} back", what, fmt::join(growth.returned, ", "),
                     growth.returned.size() == 1 ? "is" : "are");
}

Result<void> write_growth(const AttemptFolder& folder, const Growth& growth) {
  const base::Json json = {{"workers", growth.workers}, {"returned", growth.returned}};
  return base::write_file(growth_file(folder), base::to_text(json, base::JsonLayout::kOneLine));
}

namespace {

Growth decode_growth(const base::Json& json) {
  return {json.at("workers").get<int>(), json.at("returned").get<std::vector<std::string>>()};
}

}  // namespace

Result<std::optional<Growth>> read_growth(const AttemptFolder& folder) {
  return read_record<Growth>(growth_file(folder), kMaxGrowthBytes, decode_growth);
}

std::int64_t newest_in(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::int64_t newest = 0;
  std::error_code fault;
  int looked_at = 0;
  for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, fault),
       end;
       !fault && entry != end && looked_at < kMaxLookedAt; entry.increment(fault), ++looked_at) {
    struct stat found {};
    if (::lstat(entry->path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    newest = std::max<std::int64_t>(newest, found.st_mtim.tv_sec * 1000 + found.st_mtim.tv_nsec / 1'000'000);
  }
  return newest;
}

}  // namespace lockstep::service
