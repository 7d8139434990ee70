#include "diagnose/ranks/hang/wait_graph.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "diagnose/ranks/habit.h"
#include "diagnose/ranks/hang/skipped_collective.h"

namespace lockstep::ranks {

namespace {

constexpr std::size_t kUnvisited = std::numeric_limits<std::size_t>::max();

struct Visit {
  std::size_t node;
  std::size_t next_edge = 0;
};

}  // namespace

Components components_of(const Graph& graph) {
  Components result{.of = std::vector<std::size_t>(graph.size(), kUnvisited), .count = 0};
  std::vector<std::size_t> order(graph.size(), kUnvisited);
  std::vector<std::size_t> low(graph.size(), 0);
  std::vector<std::size_t> open;  // visited, not yet in a component
  std::vector<Visit> path;
  std::size_t visited = 0;

  const auto enter = [&](std::size_t node) {
    order[node] = low[node] = visited++;
    open.push_back(node);
    path.push_back({.node = node});
  };
  const auto close = [&](std::size_t node) {
    if (low[node] != order[node]) return;
    std::size_t member = kUnvisited;
    do {
      member = open.back();
      open.pop_back();
      result.of[member] = result.count;
    } while (member != node);
    ++result.count;
  };

  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (order[start] != kUnvisited) continue;
    enter(start);
    while (!path.empty()) {
      Visit& here = path.back();
      const std::size_t node = here.node;
      if (here.next_edge < graph[node].size()) {
        const std::size_t next = graph[node][here.next_edge++];
        if (order[next] == kUnvisited) {
          enter(next);
        } else if (result.of[next] == kUnvisited) {
          low[node] = std::min(low[node], order[next]);
        }
        continue;
      }
      close(node);
      path.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
    }
  }
  return result;
}

namespace {

// Nodes 0 .. waits-1 are the waits, the ranks that occur in them follow.
class WaitGraph {
 public:
  WaitGraph(const model::Job& job, std::span<const Wait> waits, const std::vector<bool>& explained)
      : waits_(waits), edges_(waits.size()), back_(waits.size()) {
    for (std::size_t at = 0; at < waits.size(); ++at) {
      for (const EventPlace place : waits[at].waiting) {
        add_edge(node_of(job.ranks[place.rank].rank.number), at);
      }
      for (const EventPlace place : waits[at].behind) {
        add_edge(node_of(job.ranks[place.rank].rank.number), at);
      }
      if (explained[at]) continue;
      for (const int rank : waits[at].absent) add_edge(at, node_of(rank));
      for (const int rank : waits[at].silent) add_edge(at, node_of(rank));
    }
    add_queues(job, explained);
  }

  const Graph& edges() const { return edges_; }
  bool is_wait(std::size_t node) const { return node < waits_.size(); }
  int rank_at(std::size_t node) const { return ranks_[node - waits_.size()]; }

  // Every rank from which one of `nodes` can be reached.
  std::set<int> ranks_leading_to(const std::vector<std::size_t>& nodes) const {
    std::vector<bool> seen(edges_.size());
    std::vector<std::size_t> next = nodes;
    std::set<int> ranks;
    while (!next.empty()) {
      const std::size_t node = next.back();
      next.pop_back();
      if (seen[node]) continue;
      seen[node] = true;
      if (!is_wait(node)) ranks.insert(rank_at(node));
      next.insert(next.end(), back_[node].begin(), back_[node].end());
    }
    return ranks;
  }

  const std::vector<std::size_t>& leading_to(std::size_t node) const { return back_[node]; }

 private:
  std::size_t node_of(int rank) {
    const auto [place, is_new] = node_of_rank_.try_emplace(rank, edges_.size());
    if (is_new) {
      ranks_.push_back(rank);
      edges_.emplace_back();
      back_.emplace_back();
    }
    return place->second;
  }

  void add_edge(std::size_t from, std::size_t to) {
    edges_[from].push_back(to);
    back_[to].push_back(from);
  }

  // Where everyone came, a rank may still be kept by something it issued before: the device works in order. A
  // send keeps nobody: the program goes on beside it.
  void add_queues(const model::Job& job, const std::vector<bool>& explained) {
    std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> oldest;  // by rank: event and wait
    for (std::size_t at = 0; at < waits_.size(); ++at) {
      for (const EventPlace place : waits_[at].waiting) {
        if (is_send(job, place)) continue;
        const auto [found, is_new] = oldest.try_emplace(place.rank, place.event, at);
        if (!is_new && place.event < found->second.first) found->second = {place.event, at};
      }
      for (const EventPlace place : waits_[at].behind) {
        const auto [found, is_new] = oldest.try_emplace(place.rank, place.event, at);
        if (!is_new && place.event < found->second.first) found->second = {place.event, at};
      }
    }
    for (std::size_t at = 0; at < waits_.size(); ++at) {
      if (explained[at] || waits_[at].misses_someone()) continue;
      std::set<std::size_t> before;
      for (const EventPlace place : waits_[at].waiting) {
        const auto first = oldest.find(place.rank);
        if (first != oldest.end() && first->second.first < place.event) before.insert(first->second.second);
      }
      before.erase(at);
      for (const std::size_t other : before) add_edge(at, other);
    }
  }

  static bool is_send(const model::Job& job, EventPlace place) {
    const model::Event& event = event_at(job, place);
    return event.kind == model::EventKind::kPointToPoint && event.collective != model::CollectiveId::kNone &&
           job.collectives[event.collective].operation == model::Operation::kSend;
  }

  std::span<const Wait> waits_;
  Graph edges_;
  Graph back_;
  std::vector<int> ranks_;
  std::map<int, std::size_t> node_of_rank_;
};

class Causes {
 public:
  Causes(const model::Job& job, std::span<const Wait> waits, const std::vector<bool>& explained)
      : job_(job), waits_(waits), graph_(job, waits, explained), components_(components_of(graph_.edges())) {}

  std::vector<Cause> run() {
    std::vector<std::vector<std::size_t>> members(components_.count);
    std::vector<bool> leads_on(components_.count);
    for (std::size_t node = 0; node < graph_.edges().size(); ++node) {
      const std::size_t component = components_.of[node];
      members[component].push_back(node);
      for (const std::size_t next : graph_.edges()[node]) {
        if (components_.of[next] != component) leads_on[component] = true;
      }
    }
    std::vector<std::size_t> idle_ranks;
    std::vector<std::size_t> all_came;
    for (std::size_t component = 0; component < components_.count; ++component) {
      if (leads_on[component]) continue;
      const std::vector<std::size_t>& nodes = members[component];
      if (nodes.size() > 1) {
        add_circle(nodes);
      } else if (graph_.is_wait(nodes.front())) {
        all_came.push_back(nodes.front());
      } else {
        idle_ranks.push_back(nodes.front());
      }
    }
    add_all_came(all_came);
    add_missing(idle_ranks);
    keep_open_messages_only_alone();
    std::ranges::sort(causes_, {}, [](const Cause& cause) { return cause.waits; });
    return std::move(causes_);
  }

 private:
  std::vector<int> waiting_in(std::size_t wait) const {
    std::vector<int> ranks;
    for (const EventPlace place : waits_[wait].waiting) ranks.push_back(job_.ranks[place.rank].rank.number);
    return ranks;
  }

  void add(Cause cause, const std::vector<std::size_t>& nodes) {
    std::ranges::sort(cause.roots);
    std::ranges::sort(cause.waits);
    for (const int rank : graph_.ranks_leading_to(nodes)) {
      if (!std::ranges::binary_search(cause.roots, rank)) cause.victims.push_back(rank);
    }
    causes_.push_back(std::move(cause));
  }

  void add_circle(const std::vector<std::size_t>& nodes) {
    Cause cause{.kind = CauseKind::kCircle, .roots = {}, .silent = {}, .victims = {}, .waits = {}};
    for (const std::size_t node : nodes) {
      if (graph_.is_wait(node)) {
        cause.waits.push_back(node);
      } else {
        cause.roots.push_back(graph_.rank_at(node));
      }
    }
    if (cause.roots.empty()) {
      blame_the_rarer_order(cause);
    } else {
      if (!blame_those_who_skipped_it(cause)) blame_the_smaller_side(cause);
      if (cause.kind == CauseKind::kCircle) blame_who_left_the_habit(cause);
    }
    add(std::move(cause), nodes);
  }

  // Where some went past the place in which others wait for them, it is no matter of order.
  bool blame_those_who_skipped_it(Cause& cause) const {
    SkippedCollective skipped_collective(job_);
    std::set<int> past;
    std::set<int> left_behind;
    std::vector<std::size_t> missed;
    for (const std::size_t wait : cause.waits) {
      const std::vector<int> ranks = skipped_collective.of(waits_[wait]);
      if (ranks.empty()) continue;
      past.insert(ranks.begin(), ranks.end());
      for (const int rank : waiting_in(wait)) left_behind.insert(rank);
      missed.push_back(wait);
    }
    const bool are_apart = std::ranges::none_of(past, [&](int rank) { return left_behind.contains(rank); });
    if (past.empty() || !are_apart) return false;
    const bool is_extra = missed.size() == 1 && is_first_call_of_a_few(waits_[missed.front()]);
    const std::set<int>& odd_ones = is_extra ? left_behind : past;
    cause.kind = is_extra ? CauseKind::kExtra : CauseKind::kMissing;
    cause.roots.assign(odd_ones.begin(), odd_ones.end());
    cause.waits = std::move(missed);
    return true;
  }

  // Of a circle, those who call something else than they did before at this point, where all others go on as
  // before.
  void blame_who_left_the_habit(Cause& cause) const {
    std::set<int> left;
    std::set<int> went_on;
    for (const std::size_t wait : cause.waits) {
      for (const EventPlace place : waits_[wait].waiting) {
        const int rank = job_.ranks[place.rank].rank.number;
        if (std::ranges::find(cause.roots, rank) == cause.roots.end()) continue;
        const auto follows = follows_its_habit(job_, place);
        if (!follows) return;
        (*follows ? went_on : left).insert(rank);
      }
    }
    const bool are_apart = std::ranges::none_of(left, [&](int rank) { return went_on.contains(rank); });
    if (left.empty() || went_on.empty() || !are_apart) return;
    cause.roots.assign(left.begin(), left.end());
  }

  // Everyone came to all of these calls, in different orders: devices run what they were given first. Of two
  // orders the one that fewer ranks have is the odd one; of equally many, either.
  void blame_the_rarer_order(Cause& cause) const {
    std::map<std::uint32_t, std::map<std::size_t, std::uint32_t>> places;  // by rank and wait: the event
    for (const std::size_t wait : cause.waits) {
      for (const EventPlace place : waits_[wait].waiting) places[place.rank].try_emplace(wait, place.event);
    }
    std::set<int> odd;
    for (const std::size_t left : cause.waits) {
      for (const std::size_t right : cause.waits) {
        if (left >= right) continue;
        std::vector<int> left_first;
        std::vector<int> right_first;
        for (const auto& [rank, events] : places) {
          const auto first = events.find(left);
          const auto second = events.find(right);
          if (first == events.end() || second == events.end()) continue;
          (first->second < second->second ? left_first : right_first).push_back(job_.ranks[rank].rank.number);
        }
        if (left_first.empty() || right_first.empty()) continue;
        if (left_first.size() <= right_first.size()) odd.insert(left_first.begin(), left_first.end());
        if (right_first.size() <= left_first.size()) odd.insert(right_first.begin(), right_first.end());
      }
    }
    cause.roots.assign(odd.begin(), odd.end());
  }

  static bool only_few_came_to(const Wait& wait) {
    return wait.waiting.size() + wait.finished.size() < wait.absent.size() && wait.silent.empty();
  }

  // Under a name that nobody used before: those who stayed away from it cannot have forgotten it.
  static bool is_first_call_of_a_few(const Wait& wait) {
    return wait.sequence == 1 && wait.finished.empty() && only_few_came_to(wait);
  }

  // Between two groups, those fewer ranks that went to the one first are the odd ones.
  void blame_the_smaller_side(Cause& cause) const {
    if (cause.waits.size() != 2) return;
    std::vector<int> left = waiting_in(cause.waits[0]);
    std::vector<int> right = waiting_in(cause.waits[1]);
    const auto keep_only = [&](std::vector<int>& side, const std::vector<int>& other) {
      std::erase_if(side, [&](int rank) {
        return std::ranges::find(cause.roots, rank) == cause.roots.end() ||
               std::ranges::find(other, rank) != other.end();
      });
    };
    const std::vector<int> whole_left = left;
    keep_only(left, right);
    keep_only(right, whole_left);
    if (left.empty() || right.empty() || left.size() == right.size()) return;
    cause.roots = left.size() < right.size() ? left : right;
  }

  // Those who are still in it while others are through are where it is stuck; and so is a device that never
  // began what the others' did. One rank that is in several such calls explains them all.
  void add_all_came(const std::vector<std::size_t>& waits) {
    std::vector<std::size_t> open;
    for (const std::size_t wait : waits) {
      Cause cause{.kind = CauseKind::kAllCame, .roots = {}, .silent = {}, .victims = {}, .waits = {wait}};
      cause.roots = waits_[wait].finished.empty() ? not_started_in(waits_[wait]) : waiting_in(wait);
      if (cause.roots.empty() && !waits_[wait].waiting.empty()) {
        open.push_back(wait);
      } else {
        add(std::move(cause), {wait});
      }
    }
    if (open.empty()) return;
    std::vector<int> in_all = waiting_in(open.front());
    for (const std::size_t wait : open) {
      const std::vector<int> here = waiting_in(wait);
      std::erase_if(in_all, [&](int rank) { return std::ranges::find(here, rank) == here.end(); });
    }
    if (open.size() > 1 && in_all.size() == 1) {
      add({.kind = CauseKind::kAllCame, .roots = in_all, .silent = {}, .victims = {}, .waits = open}, open);
      return;
    }
    for (const std::size_t wait : open)
      add({.kind = CauseKind::kAllCame, .roots = {}, .silent = {}, .victims = {}, .waits = {wait}}, {wait});
  }

  // A message that is open on both ends may be part of a batch that waits for another one.
  void keep_open_messages_only_alone() {
    const auto is_open_message = [&](const Cause& cause) {
      const bool is_told_by_itself = cause.waits.size() == 1 && !cause.roots.empty();
      return cause.kind == CauseKind::kAllCame && !is_told_by_itself &&
             std::ranges::all_of(
                 cause.waits, [&](std::size_t wait) { return waits_[wait].kind != WaitKind::kCollective; });
    };
    if (std::ranges::all_of(causes_, is_open_message)) return;
    std::erase_if(causes_, is_open_message);
  }

  // Whose device never began what those of the others did; or, where starts are not told, whose device
  // finished nothing behind it while those of the others went on with something else: a device that stands
  // still does not.
  std::vector<int> not_started_in(const Wait& wait) const {
    if (!runs_on_a_device(job_, wait.communicator)) return {};
    std::vector<int> not_started;
    std::vector<int> standing;
    for (const EventPlace place : wait.waiting) {
      const int rank = job_.ranks[place.rank].rank.number;
      if (event_at(job_, place).state == model::EventState::kIssued) not_started.push_back(rank);
      if (!went_on_behind(place)) standing.push_back(rank);
    }
    if (not_started.size() < wait.waiting.size()) return not_started;
    return standing.size() < wait.waiting.size() ? standing : std::vector<int>{};
  }

  bool went_on_behind(EventPlace place) const {
    const model::RankHistory& history = job_.ranks[place.rank];
    const std::vector<std::uint32_t>& gaps = history.left_out_behind;
    if (!gaps.empty() && gaps.back() >= place.event) return true;
    return std::any_of(
        history.events.begin() + place.event + 1, history.events.end(), [](const model::Event& event) {
          return event.kind != model::EventKind::kActivity && event.state == model::EventState::kCompleted;
        });
  }

  // Ranks that are missed in one place, or in places that share a missed rank, are one cause: a host that
  // died is missed in many communicators at once.
  void add_missing(const std::vector<std::size_t>& idle_ranks) {
    const std::set<std::size_t> is_idle(idle_ranks.begin(), idle_ranks.end());
    std::set<std::size_t> taken;
    for (const std::size_t start : idle_ranks) {
      if (taken.contains(start) || graph_.leading_to(start).empty()) continue;
      std::vector<std::size_t> nodes;
      std::set<std::size_t> waits;
      std::vector<std::size_t> next = {start};
      while (!next.empty()) {
        const std::size_t node = next.back();
        next.pop_back();
        if (!taken.insert(node).second) continue;
        nodes.push_back(node);
        for (const std::size_t wait : graph_.leading_to(node)) {
          if (!waits.insert(wait).second) continue;
          std::ranges::copy_if(graph_.edges()[wait], std::back_inserter(next),
                               [&](std::size_t other) { return is_idle.contains(other); });
        }
      }
      add_missing_together(nodes, {waits.begin(), waits.end()});
    }
  }

  void add_missing_together(const std::vector<std::size_t>& nodes, std::vector<std::size_t> waits) {
    Cause cause{
        .kind = CauseKind::kMissing, .roots = {}, .silent = {}, .victims = {}, .waits = std::move(waits)};
    for (const std::size_t node : nodes) cause.roots.push_back(graph_.rank_at(node));
    leave_out_the_silent(cause);
    cause.is_absence = std::ranges::all_of(cause.roots, [&](int rank) {
      return std::ranges::any_of(cause.waits, [&](std::size_t wait) {
        return std::ranges::binary_search(waits_[wait].silent, rank);
      });
    });
    const Wait& first = waits_[cause.waits.front()];
    if (only_few_came_to(first) && cause.waits.size() == 1 && cause.roots.size() == first.absent.size()) {
      cause.kind = CauseKind::kExtra;
      cause.roots = waiting_in(cause.waits.front());
    }
    add(std::move(cause), nodes);
  }

  // Where somebody is seen not to have come, that others left nothing is no reason to accuse them too.
  void leave_out_the_silent(Cause& cause) const {
    const auto is_silent = [&](int rank) {
      return std::ranges::any_of(cause.waits, [&](std::size_t wait) {
        return std::ranges::binary_search(waits_[wait].silent, rank);
      });
    };
    if (std::ranges::all_of(cause.roots, is_silent)) return;
    std::erase_if(cause.roots, [&](int rank) {
      if (!is_silent(rank)) return false;
      cause.silent.push_back(rank);
      return true;
    });
  }

  const model::Job& job_;
  std::span<const Wait> waits_;
  WaitGraph graph_;
  Components components_;
  std::vector<Cause> causes_;
};

}  // namespace

std::vector<Cause> find_causes(const model::Job& job, std::span<const Wait> waits,
                               const std::vector<bool>& explained) {
  return Causes(job, waits, explained).run();
}

}  // namespace lockstep::ranks
