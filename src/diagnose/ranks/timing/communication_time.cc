#include "diagnose/ranks/timing/communication_time.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/timing/robust.h"
#include "model/finding_code.h"

namespace lockstep::ranks {

namespace {

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
  if (time.ranks.size() < 2 || time.span_ns < kMinSpanToScaleNs) return std::nullopt;
  if (shares.exposed - lost_to_stragglers(stragglers) <= kMinExposed) return std::nullopt;
  const bool is_mostly_waiting = shares.waiting() > shares.transfer;
  model::Finding finding{
      .leaf = model::Leaf::kPerfSlow,
      .code = model::codes::kCommunicationExposed,
      .scope = model::Scope::kDistributed,
      .confidence = confidence::kExposedCommunication,
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

namespace {

using model::Job;

using PartTimes = std::array<double, kRunParts>;

// What the data of a rank's collectives needed, part by part of its run.
std::vector<PartTimes> transfers_of_ranks(const Job& job, const Alignment& alignment,
                                          const std::vector<float>& transfers_ns) {
  std::vector<PartTimes> of_ranks(job.ranks.size());
  for (std::size_t meeting = 0; meeting < transfers_ns.size(); ++meeting) {
    if (transfers_ns[meeting] == 0) continue;
    for (const EventPlace place : alignment.meetings()[meeting].arrivals) {
      const std::size_t part = run_part_of(place.event, job.ranks[place.rank].events.size());
      of_ranks[place.rank][part] += transfers_ns[meeting];
    }
  }
  return of_ranks;
}

TimeShares shares_of(const RankRun& run, const PartTimes& transfers_ns) {
  std::vector<double> exposed;
  std::vector<double> transfer;
  std::vector<double> communication;
  for (std::size_t at = 0; at < kRunParts; ++at) {
    const RunPart& part = run.parts[at];
    const RunPart& next = run.parts[at + 1];
    if (part.begin_ns == model::kNoTime || next.begin_ns <= part.begin_ns) continue;
    const double exposed_ns = next.waited_ns - part.waited_ns;
    const double communicated_ns = next.communicated_ns - part.communicated_ns;
    const double length_ns = std::max(static_cast<double>(next.begin_ns - part.begin_ns), communicated_ns);
    exposed.push_back(exposed_ns / length_ns);
    transfer.push_back(std::min(transfers_ns[at], exposed_ns) / length_ns);
    communication.push_back(communicated_ns / length_ns);
  }
  TimeShares shares{.exposed = lower_median(exposed), .communication = lower_median(communication)};
  shares.transfer = std::min(lower_median(transfer), shares.exposed);
  return shares;
}

double middle_of(const std::vector<RankTime>& ranks, auto&& value) {
  std::vector<double> values;
  values.reserve(ranks.size());
  for (const RankTime& rank : ranks) values.push_back(value(rank));
  return lower_median(values);
}

}  // namespace

CommunicationTime measure_communication_time(const Job& job, const Alignment& alignment,
                                             const Timings& timings) {
  const std::vector<PartTimes> transfers = transfers_of_ranks(job, alignment, timings.transfers_ns);
  CommunicationTime time;
  for (std::size_t at = 0; at < timings.runs.size(); ++at) {
    const RankRun& run = timings.runs[at];
    if (run.collectives < kMinCollectivesToTime) continue;
    time.ranks.push_back({.rank = job.ranks[at].rank.number,
                          .span_ns = run.span_ns(),
                          .shares = shares_of(run, transfers[at])});
  }
  time.middle = {
      .exposed = middle_of(time.ranks, [](const RankTime& one) { return one.shares.exposed; }),
      .transfer = middle_of(time.ranks, [](const RankTime& one) { return one.shares.transfer; }),
      .communication = middle_of(time.ranks, [](const RankTime& one) { return one.shares.communication; })};
  time.middle.transfer = std::min(time.middle.transfer, time.middle.exposed);
  time.span_ns = middle_of(time.ranks, [](const RankTime& one) { return one.span_ns; });
  return time;
}

}  // namespace lockstep::ranks
