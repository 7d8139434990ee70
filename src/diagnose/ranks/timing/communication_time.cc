#include "diagnose/ranks/timing/communication_time.h"

#include <algorithm>
#include <array>

#include "diagnose/ranks/timing/robust.h"

namespace lockstep::ranks {
namespace {

using model::Job;

constexpr std::size_t kLeastCollectives = 20;

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
    if (run.collectives < kLeastCollectives) continue;
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
