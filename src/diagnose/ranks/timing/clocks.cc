#include "diagnose/ranks/timing/clocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <unordered_map>

#include "diagnose/ranks/timing/robust.h"
#include "diagnose/ranks/timing/waiting_calls.h"

namespace lockstep::ranks {
namespace {

using model::Event;
using model::Job;

// More would not sharpen the estimate, and meetings lie scattered in memory.
constexpr std::size_t kMaxArrivals = 200'000;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Clocks assign_clocks(const Job& job) {
  std::map<int, std::uint32_t> clock_of_host;
  Clocks clocks;
  for (const model::RankHistory& history : job.ranks) {  // ascending, so clocks are as well
    const auto next = static_cast<std::uint32_t>(clocks.clocks.size());
    const std::optional<int> host = history.rank.host;
    const std::uint32_t clock = host ? clock_of_host.try_emplace(*host, next).first->second : next;
    if (clock == next) {
      clocks.clocks.push_back(
          {.host = host, .lowest_rank = history.rank.number, .ahead_ns = std::nullopt, .uncertainty_ns = 0});
    }
    clocks.clock_of_rank.push_back(clock);
  }
  return clocks;
}

// How far one clock is ahead of another.
struct Difference {
  std::int64_t ahead_ns = 0;
  std::int64_t uncertainty_ns = 0;
};

class DifferenceEstimate {
 public:
  void add(std::int64_t least_ns, std::int64_t most_ns, std::int64_t of_ends_ns) {
    least_ns_ = std::max(least_ns_, least_ns);
    most_ns_ = std::min(most_ns_, most_ns);
    of_ends_ns_.push_back(static_cast<double>(of_ends_ns));
  }

  // A clock that was set or drifts makes the bounds contradict each other: then either may be right.
  Difference result() {
    const auto middle = static_cast<std::int64_t>(lower_median(of_ends_ns_));
    const auto [low, high] = std::minmax(least_ns_, most_ns_);
    const std::int64_t ahead = std::clamp(middle, low, high);
    return {.ahead_ns = ahead, .uncertainty_ns = std::max(ahead - low, high - ahead)};
  }

 private:
  std::int64_t least_ns_ = kMin;
  std::int64_t most_ns_ = kMax;
  std::vector<double> of_ends_ns_;
};

// In every meeting each clock is compared with the first that was there: a star, not all pairs.
class Comparisons {
 public:
  Comparisons(const Job& job, const Clocks& clocks)
      : job_(job), clocks_(clocks), calls_(job), stamps_(clocks.clocks.size()) {}

  void add(const Meeting& meeting) {
    seen_.clear();
    ++meeting_;
    for (const EventPlace place : meeting.arrivals) {
      const Event& event = event_at(job_, place);
      if (!calls_.is_synchronising(event) || event.only_duration || !has_duration(event)) continue;
      stamp(clocks_.clock_of_rank[place.rank], event);
    }
    if (seen_.size() < 2) return;
    const std::uint32_t hub = *std::ranges::min_element(seen_);
    for (const std::uint32_t clock : seen_) {
      if (clock != hub) compare(clock, hub);
    }
  }

  std::unordered_map<std::uint64_t, DifferenceEstimate>& estimates() { return estimates_; }

 private:
  struct Stamp {
    std::size_t meeting = 0;
    std::int64_t last_begin_ns = kMin;
    std::int64_t first_end_ns = kMax;
  };

  void stamp(std::uint32_t clock, const Event& event) {
    Stamp& stamp = stamps_[clock];
    if (stamp.meeting != meeting_) {
      seen_.push_back(clock);
      stamp = {.meeting = meeting_};
    }
    stamp.last_begin_ns = std::max(stamp.last_begin_ns, event.begin_ns);
    stamp.first_end_ns = std::min(stamp.first_end_ns, event.end_ns);
  }

  void compare(std::uint32_t clock, std::uint32_t hub) {
    const Stamp& a = stamps_[clock];
    const Stamp& b = stamps_[hub];
    estimates_[std::uint64_t{hub} << 32 | clock].add(
        a.last_begin_ns - b.first_end_ns, a.first_end_ns - b.last_begin_ns, a.first_end_ns - b.first_end_ns);
  }

  const Job& job_;
  const Clocks& clocks_;
  const WaitingCalls calls_;
  std::vector<Stamp> stamps_;
  std::vector<std::uint32_t> seen_;
  std::size_t meeting_ = 0;
  std::unordered_map<std::uint64_t, DifferenceEstimate> estimates_;  // by hub and clock
};

struct Edge {
  std::uint32_t to = 0;
  Difference difference;
};

// The least uncertain chain from the reference clock to each other one.
void spread_from_reference(const std::vector<std::vector<Edge>>& edges, std::vector<Clock>& clocks) {
  using Step = std::pair<std::int64_t, std::uint32_t>;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> next;
  clocks[0].ahead_ns = 0;
  next.emplace(0, 0);
  while (!next.empty()) {
    const auto [uncertainty, at] = next.top();
    next.pop();
    if (uncertainty > clocks[at].uncertainty_ns) continue;
    for (const Edge& edge : edges[at]) {
      Clock& to = clocks[edge.to];
      if (edge.difference.uncertainty_ns >= kFarthestTime - uncertainty) continue;
      const std::int64_t reached = uncertainty + edge.difference.uncertainty_ns;
      if (to.ahead_ns && to.uncertainty_ns <= reached) continue;
      const std::int64_t ahead = *clocks[at].ahead_ns + edge.difference.ahead_ns;
      if (ahead >= kFarthestTime || ahead <= -kFarthestTime) continue;
      to.ahead_ns = ahead;
      to.uncertainty_ns = reached;
      next.emplace(reached, edge.to);
    }
  }
}

}  // namespace

std::optional<std::int64_t> Clocks::to_reference(std::uint32_t rank, std::int64_t time_ns) const {
  const Clock& clock = clocks[clock_of_rank[rank]];
  if (!clock.ahead_ns || !is_time(time_ns)) return std::nullopt;
  return time_ns - *clock.ahead_ns;
}

Clocks estimate_clocks(const Job& job, const Alignment& alignment) {
  Clocks clocks = assign_clocks(job);
  if (clocks.clocks.empty()) return clocks;
  std::size_t arrivals = 0;
  for (const Meeting& meeting : alignment.meetings()) arrivals += meeting.arrivals.size();
  const std::size_t stride = arrivals / kMaxArrivals + 1;

  Comparisons comparisons(job, clocks);
  if (clocks.clocks.size() > 1) {
    for (std::size_t group = 0; group < job.communicators.size(); ++group) {
      const auto meetings = alignment.meetings_of(static_cast<model::CommunicatorId>(group));
      for (std::size_t at = 0; at < meetings.size(); at += stride) comparisons.add(meetings[at]);
    }
  }
  std::vector<std::vector<Edge>> edges(clocks.clocks.size());
  for (auto& [key, estimate] : comparisons.estimates()) {
    const auto hub = static_cast<std::uint32_t>(key >> 32);
    const auto clock = static_cast<std::uint32_t>(key);
    const Difference ahead = estimate.result();
    edges[hub].push_back({.to = clock, .difference = ahead});
    edges[clock].push_back({.to = hub, .difference = {-ahead.ahead_ns, ahead.uncertainty_ns}});
  }
  for (std::vector<Edge>& from_one : edges) std::ranges::sort(from_one, {}, &Edge::to);
  spread_from_reference(edges, clocks.clocks);
  return clocks;
}

}  // namespace lockstep::ranks
