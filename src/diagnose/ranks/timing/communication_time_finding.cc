#include "diagnose/ranks/timing/communication_time_finding.h"

#include <algorithm>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/figures.h"

namespace lockstep::ranks {
namespace {

constexpr double kLeastExposed = 0.3;
// Who runs a job for less than a minute does not ask how well it scales.
constexpr double kLeastSpanNs = 60e9;

double lost_to_stragglers(const Stragglers& stragglers) {
  double lost = 0;
  for (const Straggler& one : stragglers.ranks) lost = std::max(lost, one.lost_share);
  return lost;
}

// The last collective of the rank whose share is the middle of all.
std::optional<EventPlace> example_of(const model::Job& job, const CommunicationTime& time) {
  const auto nearest = std::ranges::min_element(time.ranks, {}, [&](const RankTime& one) {
    return std::abs(one.shares.exposed - time.middle.exposed);
  });
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    if (job.ranks[rank].rank.number != nearest->rank) continue;
    const std::vector<model::Event>& events = job.ranks[rank].events;
    for (auto at = static_cast<std::uint32_t>(events.size()); at-- > 0;) {
      if (events[at].kind == model::EventKind::kCollective) return EventPlace{.rank = rank, .event = at};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<model::Finding> finding_of(const model::Job& job, const CommunicationTime& time,
                                         const Stragglers& stragglers) {
  const TimeShares& shares = time.middle;
  if (time.ranks.size() < 2 || time.span_ns < kLeastSpanNs) return std::nullopt;
  if (shares.exposed - lost_to_stragglers(stragglers) <= kLeastExposed) return std::nullopt;
  const bool is_mostly_waiting = shares.waiting() > shares.transfer;
  model::Finding finding{
      .leaf = model::Leaf::kPerfSlow,
      .code = "communication.exposed",
      .scope = model::Scope::kDistributed,
      .confidence = 0.4,
      .root_ranks = {},
      .victim_ranks = {},
      .title =
          fmt::format("the ranks spend {} of their time blocked in collectives, mostly {}",
                      percent(shares.exposed), is_mostly_waiting ? "waiting for one another" : "moving data"),
      .explanation = {},
      .evidence = {},
      .fixes = {}};
  finding.explanation = fmt::format(
      "Half of the {} ranks are blocked in synchronising collectives for more than {} of their time: {} is "
      "transfer, {} is waiting for others to come{}. In any communication it is {}, so that share of the "
      "devices' time is lost to the distribution.",
      time.ranks.size(), percent(shares.exposed), percent(shares.transfer), percent(shares.waiting()),
      is_mostly_waiting && stragglers.ranks.empty() ? ", by turns: no rank is late again and again" : "",
      percent(time.scaling_loss()));
  if (const std::optional<EventPlace> example = example_of(job, time)) {
    model::Evidence evidence = evidence_of(job, *example);
    evidence.text += fmt::format("; this rank is blocked for {} of {}", percent(shares.exposed),
                                 duration_in_words(time.span_ns));
    evidence.level = model::EvidenceLevel::kInferred;
    finding.evidence.push_back(std::move(evidence));
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
