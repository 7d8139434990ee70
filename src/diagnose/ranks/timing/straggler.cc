#include "diagnose/ranks/timing/straggler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/timing/robust.h"
#include "diagnose/ranks/timing/waiting_calls.h"
#include "model/finding_code.h"

namespace lockstep::ranks {

namespace {

using model::Finding;
using model::Job;

constexpr std::size_t kMaxStragglersShown = 3;  // ranks with evidence of their own

std::vector<int> numbers_of(const std::vector<Straggler>& late) {
  std::vector<int> ranks;
  for (const Straggler& one : late) ranks.push_back(one.rank);
  return ranks;
}

// The others in the communicators of the late ones.
std::vector<int> victims_of(const Job& job, const std::vector<Straggler>& late) {
  std::set<model::CommunicatorId> communicators;
  for (const Straggler& one : late) communicators.insert(one.communicator);
  std::set<int> victims;
  for (const model::CommunicatorId communicator : communicators) {
    const std::vector<int>& members = job.communicators[communicator].members;
    victims.insert(members.begin(), members.end());
  }
  for (const Straggler& one : late) victims.erase(one.rank);
  return {victims.begin(), victims.end()};
}

model::Evidence stay(const Job& job, EventPlace place) {
  model::Evidence evidence = evidence_of(job, place);
  const model::Event& event = event_at(job, place);
  if (has_duration(event)) {
    evidence.text +=
        fmt::format("; it was in there for {}", duration_in_words(static_cast<double>(duration_of(event))));
  }
  return evidence;
}

// The member whose stay in the collective is the middle of all.
EventPlace usual_member(const Job& job, const Meeting& meeting) {
  std::vector<EventPlace> places(meeting.arrivals.begin(), meeting.arrivals.end());
  std::erase_if(places, [&](EventPlace place) { return !has_duration(event_at(job, place)); });
  std::ranges::stable_sort(places, {}, [&](EventPlace place) { return duration_of(event_at(job, place)); });
  return places[places.size() / 2];
}

void add_evidence(const Job& job, const Alignment& alignment, const Straggler& late, Finding& finding) {
  if (late.since) finding.evidence.push_back(stay(job, late.first));
  finding.evidence.push_back(stay(job, late.last));
  const std::span<const Meeting> meetings = alignment.meetings_of(late.communicator);
  const auto meeting =
      std::ranges::lower_bound(meetings, event_at(job, late.last).sequence, {}, &Meeting::sequence);
  finding.evidence.push_back(stay(job, usual_member(job, *meeting)));
}

std::string range_of(const std::vector<Straggler>& late, double Straggler::*value, auto&& in_words) {
  const auto [least, most] = std::ranges::minmax(late, {}, value);
  const std::string low = in_words(least.*value);
  const std::string high = in_words(most.*value);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

double confidence_in(const std::vector<Straggler>& late) {
  const bool is_plain = std::ranges::any_of(late, [](const Straggler& one) {
    return one.lost_share >= kPlainLostShare && one.significance >= kPlainSignificance;
  });
  return is_plain ? confidence::kStragglerPlain : confidence::kStragglerSlight;
}

std::string since_when(const Straggler& late) {
  return late.since ? fmt::format(" since collective {}", with_commas(*late.since)) : "";
}

std::string peers_of(const Straggler& late) {
  return late.peers == 1 ? "its only peer" : fmt::format("its {} peers", with_commas(late.peers));
}

std::string explain(const Job& job, const std::vector<Straggler>& late) {
  const Straggler& worst = *std::ranges::max_element(late, {}, &Straggler::lost_share);
  return fmt::format(
      "Between the collectives of {} rank {} works {} longer than {}, who wait for it {} in every step: {} "
      "of "
      "the time. Its own work is slow, it does not come late because it waited for another rank. What was "
      "compared is how long each rank is blocked in collectives; {} standard errors from chance.",
      describe(job, worst.communicator), worst.rank, percent(worst.slower), peers_of(worst),
      duration_in_words(worst.lost_ns), percent(worst.lost_share),
      worst.significance > 1000 ? "more than 1,000" : fmt::format("{:.0f}", worst.significance));
}

Finding common_part(const Job& job, const Alignment& alignment, const model::KnownCode& code,
                    const std::vector<Straggler>& late) {
  Finding finding{.leaf = model::Leaf::kPerfSlow,
                  .code = code,
                  .scope = model::Scope::kDistributed,
                  .confidence = confidence_in(late),
                  .root_ranks = numbers_of(late),
                  .victim_ranks = victims_of(job, late),
                  .title = {},
                  .explanation = explain(job, late),
                  .evidence = {},
                  .fixes = {}};
  std::vector<Straggler> shown = late;
  std::ranges::stable_sort(shown, std::greater<>{}, &Straggler::lost_share);
  for (std::size_t at = 0; at < std::min(kMaxStragglersShown, shown.size()); ++at) {
    add_evidence(job, alignment, shown[at], finding);
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

Finding finding_of_ranks(const Job& job, const Alignment& alignment, const std::vector<Straggler>& late) {
  Finding finding = common_part(job, alignment, model::codes::kStragglerRank, late);
  const std::string slower = range_of(late, &Straggler::slower, percent);
  finding.title = late.size() == 1 ? fmt::format("rank {} is {} slower than {}{}", late[0].rank, slower,
                                                 peers_of(late[0]), since_when(late[0]))
                                   : fmt::format("{} are {} slower than their peers",
                                                 ranks_in_words(numbers_of(late)), slower);
  return finding;
}

Finding finding_of_host(const Job& job, const Alignment& alignment, const SlowHost& host,
                        const std::vector<Straggler>& late) {
  Finding finding = common_part(job, alignment, model::codes::kStragglerHost, late);
  finding.title = fmt::format("all {} ranks of host {} are {} slower than the others", host.ranks.size(),
                              job.hosts.at(static_cast<std::size_t>(host.host)).name,
                              range_of(late, &Straggler::slower, percent));
  return finding;
}

}  // namespace

std::vector<Finding> findings_of(const Job& job, const Alignment& alignment, const Stragglers& stragglers) {
  std::vector<Straggler> alone;
  std::ranges::copy_if(stragglers.ranks, std::back_inserter(alone),
                       [](const Straggler& one) { return one.lost_in_all_ns >= kMinLostNs; });
  std::vector<Finding> findings;
  for (const SlowHost& host : stragglers.hosts) {
    const auto is_here = [&](const Straggler& one) {
      return std::ranges::binary_search(host.ranks, one.rank);
    };
    std::vector<Straggler> here;
    std::ranges::copy_if(alone, std::back_inserter(here), is_here);
    if (here.size() != host.ranks.size()) continue;
    findings.push_back(finding_of_host(job, alignment, host, here));
    std::erase_if(alone, is_here);
  }
  if (!alone.empty()) findings.push_back(finding_of_ranks(job, alignment, alone));
  return findings;
}

namespace {

using model::Job;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// How much longer than its peers each member worked in each window, and how long the windows are.
class Comparison {
 public:
  explicit Comparison(const WaitWindows& windows)
      : windows_(windows), excess_ns_(windows.ranks.size() * windows.count(), kUnknown) {
    for (std::size_t window = 0; window < windows.count(); ++window) compare(window);
    window_ns_ = lower_median(lengths_);
    peer_wait_ns_ = lower_median(peer_waits_);
    centres_ = centre_of_each();
    peer_spread_ns_ = spread_of_the_faster_half();
  }

  double window_ns() const { return window_ns_; }
  double peer_work_ns() const { return window_ns_ - peer_wait_ns_; }

  std::optional<Lateness> lateness_of(std::size_t rank) const {
    std::optional<Lateness> late = persistent_lateness(excess_of(rank), window_ns_);
    if (!late) return late;
    const double fewer =
        std::sqrt(static_cast<double>(windows_.count()) / static_cast<double>(late->windows));
    if (late->excess_ns < kMinPeerSpreads * peer_spread_ns_ * fewer) return std::nullopt;
    return late;
  }

 private:
  std::span<const double> excess_of(std::size_t rank) const {
    return std::span(excess_ns_).subspan(rank * windows_.count(), windows_.count());
  }

  void compare(std::size_t window) {
    work_.clear();
    length_.clear();
    who_.clear();
    for (std::size_t rank = 0; rank < windows_.ranks.size(); ++rank) {
      if (!windows_.is_whole(rank, window)) continue;
      who_.push_back(rank);
      work_.push_back(
          -windows_.waited_ns(rank, window));  // all have the same time: less waiting is more work
      length_.push_back(std::max(windows_.length_ns(rank, window), -work_.back()));
    }
    if (who_.size() < 2) return;
    sorted_ = work_;
    const MedianOfOthers middle(sorted_);
    for (std::size_t at = 0; at < who_.size(); ++at) {
      excess_ns_[who_[at] * windows_.count() + window] = work_[at] - middle.without(work_[at]);
    }
    lengths_.push_back(lower_median(length_));
    peer_waits_.push_back(-middle.of_all());
  }

  std::vector<double> centre_of_each() const {
    std::vector<double> centres;
    std::vector<double> known;
    for (std::size_t rank = 0; rank < windows_.ranks.size(); ++rank) {
      known.clear();
      for (const double excess : excess_of(rank)) {
        if (!std::isnan(excess)) known.push_back(excess);
      }
      if (!known.empty()) centres.push_back(lower_median(known));
    }
    return centres;
  }

  // What ranks that are not late differ by. Only those below the middle are asked: the late ones are above.
  double spread_of_the_faster_half() const {
    if (centres_.size() < kMinPeersForSpread) return 0;
    std::vector<double> sorted = centres_;
    const double middle = lower_median(sorted);
    std::vector<double> distances;
    for (const double centre : centres_) {
      if (centre <= middle) distances.push_back(middle - centre);
    }
    return kDeviationsPerMedianDistance * lower_median(distances);
  }

  const WaitWindows& windows_;
  std::vector<double> excess_ns_;  // by rank, then by window
  std::vector<double> lengths_;
  std::vector<double> peer_waits_;
  std::vector<double> centres_;
  double window_ns_ = 0;
  double peer_wait_ns_ = 0;
  double peer_spread_ns_ = 0;
  // of the window that is being compared
  std::vector<std::size_t> who_;
  std::vector<double> work_;
  std::vector<double> sorted_;
  std::vector<double> length_;
};

// The first and the last collective at which the rank left a mark since it is late.
std::pair<EventPlace, EventPlace> places_of(const WaitWindows& windows, std::size_t rank, std::size_t since) {
  EventPlace first;
  EventPlace last;
  bool is_first = true;
  for (std::size_t at = since; at < windows.sequences.size(); ++at) {
    const WindowMark& mark = windows.mark(rank, at);
    if (mark.calls == 0) continue;
    last = {.rank = windows.ranks[rank], .event = mark.event};
    if (is_first) first = last;
    is_first = false;
  }
  return {first, last};
}

Straggler describe_straggler(const Job& job, const WaitWindows& windows, std::size_t rank,
                             const Comparison& comparison, const Lateness& late) {
  const double work_ns = std::max(comparison.peer_work_ns(), comparison.window_ns() / 20);
  const double windows_per_cycle =
      static_cast<double>(windows.count()) / static_cast<double>(std::max<std::size_t>(windows.cycles, 1));
  const auto [first, last] = places_of(windows, rank, late.first_window);
  return {
      .rank = job.ranks[windows.ranks[rank]].rank.number,
      .communicator = windows.communicator,
      .peers = windows.ranks.size() - 1,
      .slower = late.excess_ns / work_ns,
      .lost_share = late.excess_ns / comparison.window_ns(),
      .lost_ns = late.excess_ns * windows_per_cycle,
      .lost_in_all_ns = late.excess_ns * static_cast<double>(late.windows),
      .significance = late.significance,
      .since = late.first_window == 0 ? std::nullopt : std::optional(windows.sequences[late.first_window]),
      .first = first,
      .last = last};
}

// Of what several communicators tell about one rank, the comparison with most peers counts.
bool tells_more(const Job& job, const Straggler& a, const Straggler& b) {
  const auto key = [&](const Straggler& one) {
    return std::tuple(one.peers, one.significance, one.lost_share);
  };
  if (key(a) != key(b)) return key(a) > key(b);
  return job.communicators[a.communicator].name < job.communicators[b.communicator].name;
}

std::vector<SlowHost> slow_hosts(const Job& job, const std::map<int, Straggler>& late) {
  std::map<int, std::vector<int>> ranks_of_host;
  for (const model::RankHistory& history : job.ranks) {
    if (history.rank.host) ranks_of_host[*history.rank.host].push_back(history.rank.number);
  }
  std::vector<SlowHost> hosts;
  for (auto& [host, ranks] : ranks_of_host) {
    const bool is_slow = ranks.size() >= 2 && ranks.size() < job.ranks.size() &&
                         std::ranges::all_of(ranks, [&](int rank) { return late.contains(rank); });
    if (!is_slow) continue;
    std::ranges::sort(ranks);
    hosts.push_back({.host = host, .ranks = ranks});
  }
  return hosts;
}

bool exchanges_on_the_host(const Job& job, model::CommunicatorId communicator) {
  const std::string& backend = job.communicators[communicator].backend;
  return backend == "gloo" || backend == "mpi" || backend == "grpc";
}

// On a machine that others use, one rank loses a core more often than another for seconds on end. What that
// takes of a step is less than a slice of the scheduler's.
bool may_be_the_scheduler(const Job& job, const Straggler& straggler, const Comparison& comparison,
                          const Lateness& late) {
  return exchanges_on_the_host(job, straggler.communicator) && straggler.lost_ns < kSchedulerSliceNs &&
         comparison.window_ns() * static_cast<double>(late.windows) < kLongerThanTheSchedulerNs;
}

}  // namespace

Stragglers find_stragglers(const Job& job, const Timings& timings) {
  std::map<int, Straggler> late_ranks;
  for (const WaitWindows& windows : timings.windows) {
    const Comparison comparison(windows);
    for (std::size_t rank = 0; rank < windows.ranks.size(); ++rank) {
      const std::optional<Lateness> late = comparison.lateness_of(rank);
      if (!late) continue;
      const Straggler straggler = describe_straggler(job, windows, rank, comparison, *late);
      if (may_be_the_scheduler(job, straggler, comparison, *late)) continue;
      const auto [place, is_new] = late_ranks.try_emplace(straggler.rank, straggler);
      if (!is_new && tells_more(job, straggler, place->second)) place->second = straggler;
    }
  }
  Stragglers stragglers;
  for (const auto& entry : late_ranks) stragglers.ranks.push_back(entry.second);
  stragglers.hosts = slow_hosts(job, late_ranks);
  return stragglers;
}

}  // namespace lockstep::ranks
