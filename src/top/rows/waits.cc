#include "top/rows/waits.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "top/rows/standing.h"

namespace lockstep::top {
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
