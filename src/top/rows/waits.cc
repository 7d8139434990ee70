#include "top/rows/waits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace lockstep::top {

namespace {

using watch::RankState;
using watch::RankView;
using Ranks = std::set<int>;

constexpr std::int64_t kMinLatenessNs = 1'000'000;
constexpr std::int64_t kTimesTheUsual = 4;
constexpr double kMinShareOfStep = 0.05;

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
  if (lateness_ns < kMinLatenessNs || lateness_ns / kTimesTheUsual < usual_ns) return false;
  const double of_step = static_cast<double>(lateness_ns) / 1e9 * view.steps_per_second.value_or(1e9);
  return of_step >= kMinShareOfStep;
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

namespace {

using watch::RankView;

struct Group {
  std::vector<int> ranks;
  const RankView* view = nullptr;
  std::vector<std::size_t> waiters;  // groups that wait for one of these ranks, each once
};

struct SameWait {
  bool operator()(const RankView* a, const RankView* b) const {
    return std::tie(a->doing, a->waits_for) < std::tie(b->doing, b->waits_for);
  }
};

class WaitGroups {
 public:
  explicit WaitGroups(const watch::Snapshot& snapshot) {
    for (const RankView& view : snapshot.ranks) views_[view.rank] = &view;
    add_waiting(snapshot);
    const std::size_t waiting = groups_.size();
    add_waited_for();
    first_root_ = waiting;
    for (std::size_t waiter = 0; waiter < waiting; ++waiter) link(waiter);
  }

  std::vector<WaitNode> tree() {
    std::vector<WaitNode> nodes;
    for (std::size_t root = first_root_; root < groups_.size(); ++root) append(root, false, nodes);
    for (std::size_t entry = 0; entry < first_root_; ++entry) append(entry, true, nodes);
    return nodes;
  }

 private:
  void add_waiting(const watch::Snapshot& snapshot) {
    std::map<const RankView*, std::size_t, SameWait> known;
    for (const RankView& view : snapshot.ranks) {
      if (!has_waited_long(view)) continue;
      const auto [place, is_new] = known.emplace(&view, groups_.size());
      if (is_new) groups_.push_back({{}, &view, {}});
      groups_[place->second].ranks.push_back(view.rank);
      group_of_[view.rank] = place->second;
    }
  }

  void add_waited_for() {
    std::set<int> missing;
    for (const Group& group : groups_) {
      for (const int rank : group.view->waits_for) {
        if (!group_of_.contains(rank)) missing.insert(rank);
      }
    }
    std::map<std::tuple<bool, watch::RankState, std::string_view>, std::size_t> known;
    for (const int rank : missing) {
      const auto found = views_.find(rank);
      const RankView* view = found == views_.end() ? nullptr : found->second;
      const auto key = view == nullptr ? std::tuple(false, watch::RankState::kStarting, std::string_view())
                                       : std::tuple(true, view->state, std::string_view(view->doing));
      const auto [place, is_new] = known.emplace(key, groups_.size());
      if (is_new) groups_.push_back({{}, view, {}});
      groups_[place->second].ranks.push_back(rank);
      group_of_[rank] = place->second;
    }
  }

  void link(std::size_t waiter) {
    std::set<std::size_t> awaited;
    for (const int rank : groups_[waiter].view->waits_for) awaited.insert(group_of_.at(rank));
    for (const std::size_t group : awaited) groups_[group].waiters.push_back(waiter);
  }

  // With a stack of its own: a chain of waits may be as long as there are ranks.
  void append(std::size_t entry, bool is_circle, std::vector<WaitNode>& nodes) {
    std::vector<std::pair<std::size_t, int>> open{{entry, 0}};
    while (!open.empty()) {
      const auto [index, depth] = open.back();
      open.pop_back();
      if (!shown_.insert(index).second) continue;
      const Group& group = groups_[index];
      nodes.push_back({depth, group.ranks, group.view, is_circle && depth == 0});
      for (auto waiter = group.waiters.rbegin(); waiter != group.waiters.rend(); ++waiter) {
        open.emplace_back(*waiter, depth + 1);
      }
    }
  }

  std::unordered_map<int, const RankView*> views_;
  std::unordered_map<int, std::size_t> group_of_;
  std::vector<Group> groups_;
  std::size_t first_root_ = 0;
  std::set<std::size_t> shown_;
};

}  // namespace

std::unordered_map<int, const RankView*> longest_waiters(const watch::Snapshot& snapshot) {
  std::map<const RankView*, const RankView*, SameWait> longest_of_group;
  for (const RankView& view : snapshot.ranks) {
    if (!has_waited_long(view)) continue;
    const RankView*& longest = longest_of_group.emplace(&view, &view).first->second;
    if (view.for_ns > longest->for_ns) longest = &view;
  }
  std::unordered_map<int, const RankView*> waiters;
  for (const auto& [group, longest] : longest_of_group) {
    for (const int rank : group->waits_for) {
      const RankView*& known = waiters.emplace(rank, longest).first->second;
      if (longest->for_ns > known->for_ns) known = longest;
    }
  }
  return waiters;
}

std::vector<WaitNode> wait_tree(const watch::Snapshot& snapshot) {
  return WaitGroups(snapshot).tree();
}

}  // namespace lockstep::top
