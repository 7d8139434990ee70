#include "top/rows/standing.h"

#include <algorithm>
#include <optional>
#include <set>

#include "top/rows/waits.h"

namespace lockstep::top {
namespace {

using watch::RankState;
using watch::RankView;
using Ranks = std::set<int>;

constexpr std::int64_t kLeastLatenessNs = 1'000'000;
constexpr std::int64_t kTimesTheUsual = 4;
constexpr double kLeastShareOfStep = 0.05;

Ranks guilty_ranks(const watch::Snapshot& snapshot) {
  Ranks ranks;
  for (const model::Finding& finding : snapshot.findings) {
    ranks.insert(finding.root_ranks.begin(), finding.root_ranks.end());
  }
  return ranks;
}

std::optional<std::int64_t> usual_lateness_ns(const watch::Snapshot& snapshot) {
  std::vector<std::int64_t> known;
  for (const RankView& view : snapshot.ranks) {
    if (view.lateness_ns) known.push_back(*view.lateness_ns);
  }
  if (known.empty()) return std::nullopt;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>((known.size() - 1) / 2);
  std::nth_element(known.begin(), middle, known.end());
  return *middle;
}

// Late by much more than the others are, and by a part of the step that is worth a look.
bool is_straggler(const RankView& view, std::int64_t usual_ns) {
  const std::int64_t lateness_ns = view.lateness_ns.value_or(0);
  if (lateness_ns < kLeastLatenessNs || lateness_ns / kTimesTheUsual < usual_ns) return false;
  const double of_step = static_cast<double>(lateness_ns) / 1e9 * view.steps_per_second.value_or(1e9);
  return of_step >= kLeastShareOfStep;
}

}  // namespace

bool has_waited_long(const RankView& view) {
  return view.state == RankState::kWaiting && view.for_ns.value_or(0) >= kLongWaitNs;
}

std::vector<Standing> standings_of(const watch::Snapshot& snapshot) {
  const Ranks guilty = guilty_ranks(snapshot);
  const auto waited_for = longest_waiters(snapshot);
  const std::optional<std::int64_t> usual_ns = usual_lateness_ns(snapshot);
  const auto standing_of = [&](const RankView& view) {
    if (guilty.contains(view.rank)) return Standing::kGuilty;
    if (view.state == RankState::kGone) return Standing::kDead;
    if (view.state == RankState::kEnded) {
      return view.exit_status.value_or(0) == 0 ? Standing::kEnded : Standing::kDead;
    }
    if (view.state == RankState::kStopped) return Standing::kStopped;
    if (has_waited_long(view)) return Standing::kWaiting;
    if (waited_for.contains(view.rank)) return Standing::kLate;
    if (usual_ns && is_straggler(view, *usual_ns)) return Standing::kStraggler;
    return view.state == RankState::kStarting ? Standing::kStarting : Standing::kRunning;
  };
  std::vector<Standing> standings;
  standings.reserve(snapshot.ranks.size());
  for (const RankView& view : snapshot.ranks) standings.push_back(standing_of(view));
  return standings;
}

}  // namespace lockstep::top
