#include "diagnose/ranks/timing/straggler_finding.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/figures.h"
#include "diagnose/ranks/timing/event_times.h"

namespace lockstep::ranks {
namespace {

using model::Finding;
using model::Job;

// Programs of a few seconds have ranks that differ, and nobody who would want to know.
constexpr double kLeastLostNs = 0.5e9;
constexpr std::size_t kMostShown = 3;  // ranks with evidence of their own

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
  const bool is_plain = std::ranges::any_of(
      late, [](const Straggler& one) { return one.lost_share >= 0.1 && one.significance >= 10; });
  return is_plain ? 0.9 : 0.75;
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

Finding common_part(const Job& job, const Alignment& alignment, std::string code,
                    const std::vector<Straggler>& late) {
  Finding finding{.leaf = model::Leaf::kPerfSlow,
                  .code = std::move(code),
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
  for (std::size_t at = 0; at < std::min(kMostShown, shown.size()); ++at) {
    add_evidence(job, alignment, shown[at], finding);
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

Finding finding_of_ranks(const Job& job, const Alignment& alignment, const std::vector<Straggler>& late) {
  Finding finding = common_part(job, alignment, "straggler.rank", late);
  const std::string slower = range_of(late, &Straggler::slower, percent);
  finding.title = late.size() == 1 ? fmt::format("rank {} is {} slower than {}{}", late[0].rank, slower,
                                                 peers_of(late[0]), since_when(late[0]))
                                   : fmt::format("{} are {} slower than their peers",
                                                 ranks_in_words(numbers_of(late)), slower);
  return finding;
}

Finding finding_of_host(const Job& job, const Alignment& alignment, const SlowHost& host,
                        const std::vector<Straggler>& late) {
  Finding finding = common_part(job, alignment, "straggler.host", late);
  finding.title = fmt::format("all {} ranks of host {} are {} slower than the others", host.ranks.size(),
                              job.hosts.at(static_cast<std::size_t>(host.host)).name,
                              range_of(late, &Straggler::slower, percent));
  return finding;
}

}  // namespace

std::vector<Finding> findings_of(const Job& job, const Alignment& alignment, const Stragglers& stragglers) {
  std::vector<Straggler> alone;
  std::ranges::copy_if(stragglers.ranks, std::back_inserter(alone),
                       [](const Straggler& one) { return one.lost_in_all_ns >= kLeastLostNs; });
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

}  // namespace lockstep::ranks
