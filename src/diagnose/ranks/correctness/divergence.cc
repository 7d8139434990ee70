#include "diagnose/ranks/correctness/divergence.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/align.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/timing/waiting_calls.h"
#include "model/finding_code.h"

namespace lockstep::ranks {

namespace {

model::Evidence result_at(const model::Job& job, EventPlace place) {
  model::Evidence evidence = evidence_of(job, place);
  const auto checksums = static_cast<std::size_t>(event_at(job, place).checksums);
  evidence.text += fmt::format("; checksum of the result {:016x}", job.checksums.at(checksums).output);
  return evidence;
}

std::string in_step(const Divergence& divergence) {
  return divergence.step ? fmt::format(" in step {}", with_commas(*divergence.step)) : "";
}

std::string title_of(const model::Job& job, const Divergence& divergence) {
  const model::Event& event = event_at(job, divergence.odd);
  const std::string where =
      fmt::format("{} {} of {}{}", model::name_of(job.collectives[event.collective].operation),
                  with_commas(divergence.meeting.sequence), describe(job, divergence.meeting.communicator),
                  in_step(divergence));
  if (divergence.is_tie) {
    return fmt::format("{} left {} with different results, and no majority", where,
                       ranks_in_words(divergence.agreeing_ranks));
  }
  return fmt::format("{} left {} with another result than the other {} ranks", where,
                     ranks_in_words(divergence.odd_ranks), with_commas(divergence.agreeing_ranks.size()));
}

}  // namespace

model::Finding finding_of(const model::Job& job, const Divergence& divergence) {
  model::Finding finding{
      .leaf = model::Leaf::kPerfResult,
      .code = model::codes::kDivergenceOutputsDiffer,
      .scope = model::Scope::kDistributed,
      .confidence = divergence.is_tie ? confidence::kOutputsDifferTie : confidence::kOutputsDiffer,
      .root_ranks = divergence.odd_ranks,
      .victim_ranks = divergence.agreeing_ranks,
      .title = title_of(job, divergence),
      .explanation = {},
      .evidence = {result_at(job, divergence.odd), result_at(job, divergence.usual)},
      .fixes = catalogue::fixes_for(model::codes::kDivergenceOutputsDiffer)};
  finding.explanation = fmt::format(
      "This collective must leave the same bytes on all its members. It is the first that did not; {} did "
      "not "
      "in all. {}",
      with_commas(divergence.meetings),
      divergence.is_tie ? "As many members have one result as the other, so which is right cannot be told."
                        : "From here on the ranks train different models.");
  return finding;
}

namespace {

using model::Event;
using model::Job;

bool gives_all_the_same(model::Operation operation) {
  using enum model::Operation;
  return operation == kAllReduce || operation == kAllGather || operation == kBroadcast;
}

// 0 where nothing was recorded, or nothing that must be equal.
class Outputs {
 public:
  explicit Outputs(const Job& job) : job_(job) {
    for (const model::Collective& collective : job.collectives.values()) {
      must_agree_.push_back(gives_all_the_same(collective.operation) ? 1 : 0);
    }
  }

  std::uint64_t of(const Event& event) const {
    const auto checksums = static_cast<std::size_t>(event.checksums);
    const auto collective = static_cast<std::size_t>(event.collective);
    if (checksums >= job_.checksums.size() || collective >= must_agree_.size()) return 0;
    return must_agree_[collective] ? job_.checksums[checksums].output : 0;
  }

 private:
  const Job& job_;
  std::vector<char> must_agree_;
};

// Meetings in which not all outputs are the same. Those of ranks that coalesced may be by right: who compares
// them call by call decides.
std::vector<char> suspicious_meetings(const Job& job, const Alignment& alignment, const MeetingFinder& finder,
                                      const Outputs& outputs) {
  std::vector<std::uint64_t> first(alignment.meetings().size(), 0);
  std::vector<char> differs(first.size(), 0);
  for (const model::RankHistory& history : job.ranks) {
    for (const Event& event : history.events) {
      const std::uint64_t output = outputs.of(event);
      if (output == 0) continue;
      const std::uint32_t meeting = finder.find(event);
      if (meeting == kNoMeeting) continue;
      if (first[meeting] == 0) first[meeting] = output;
      if (first[meeting] != output) differs[meeting] = 1;
    }
  }
  return differs;
}

struct Result {
  std::vector<std::uint64_t> outputs;  // of its calls, in order
  std::vector<EventPlace> places;      // the first call of each rank that has it
};

// What came out of a meeting, with who got it. Ranks of which a call has no checksum are left out, and so are
// ranks that made more or fewer calls than most: then it is not the same collective.
std::vector<Result> results_of(const Job& job, const Meeting& meeting, const Outputs& outputs) {
  std::map<std::vector<std::uint64_t>, std::vector<EventPlace>> by_outputs;
  std::map<std::size_t, std::size_t> ranks_by_calls;
  for (std::size_t at = 0; at < meeting.arrivals.size();) {
    const EventPlace first = meeting.arrivals[at];
    std::vector<std::uint64_t> of_rank;
    for (; at < meeting.arrivals.size() && meeting.arrivals[at].rank == first.rank; ++at) {
      of_rank.push_back(outputs.of(event_at(job, meeting.arrivals[at])));
    }
    if (std::ranges::find(of_rank, 0U) != of_rank.end()) continue;
    ++ranks_by_calls[of_rank.size()];
    by_outputs[of_rank].push_back(first);
  }
  std::size_t calls = 0;
  for (const auto& [one, ranks] : ranks_by_calls) {
    if (calls == 0 || ranks > ranks_by_calls[calls]) calls = one;
  }
  std::vector<Result> results;
  for (auto& [of_rank, places] : by_outputs) {
    if (of_rank.size() == calls) results.push_back({of_rank, places});
  }
  return results;
}

// A meeting that diverged comes first when for each of its ranks it is the first that diverged. Where several
// do, in groups that know nothing of each other, the one with the lowest rank is told.
std::uint32_t first_meeting(const Job& job, const Alignment& alignment, const MeetingFinder& finder,
                            const std::vector<char>& diverged) {
  std::vector<std::uint32_t> first_of_rank(job.ranks.size(), kNoMeeting);
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    for (const Event& event : job.ranks[rank].events) {
      const std::uint32_t meeting = finder.find(event);
      if (meeting == kNoMeeting || !diverged[meeting]) continue;
      first_of_rank[rank] = meeting;
      break;
    }
  }
  std::uint32_t fallback = kNoMeeting;  // damaged files can tell an order that goes round in a circle
  for (const std::uint32_t meeting : first_of_rank) {
    if (meeting == kNoMeeting) continue;
    if (fallback == kNoMeeting) fallback = meeting;
    const bool is_first = std::ranges::all_of(alignment.meetings()[meeting].arrivals, [&](EventPlace place) {
      return first_of_rank[place.rank] == meeting;
    });
    if (is_first) return meeting;
  }
  return fallback;
}

std::optional<std::uint64_t> step_around(const Job& job, EventPlace place) {
  const std::vector<Event>& events = job.ranks[place.rank].events;
  for (std::size_t at = place.event + 1; at-- > 0;) {
    const Event& event = events[at];
    const bool is_step = event.kind == model::EventKind::kActivity &&
                         event.activity == model::Activity::kStep && event.sequence != model::kNoSequence;
    if (is_step) return event.sequence;
  }
  return std::nullopt;
}

std::vector<int> ranks_at(const Job& job, const std::vector<EventPlace>& places) {
  std::vector<int> ranks;
  for (const EventPlace place : places) ranks.push_back(job.ranks[place.rank].rank.number);
  return ranks;
}

Divergence describe_divergence(const Job& job, const Meeting& meeting, std::vector<Result> results) {
  // Most members first; the order of equals does not hang on the checksums' values.
  std::ranges::sort(results, {}, [&](const Result& result) {
    return std::tuple(-static_cast<std::ptrdiff_t>(result.places.size()),
                      job.ranks[result.places.front().rank].rank.number);
  });
  Divergence divergence;
  divergence.meeting = meeting;
  divergence.is_tie = results[0].places.size() == results[1].places.size();
  divergence.usual = results[0].places.front();
  divergence.odd = results[1].places.front();
  divergence.agreeing_ranks = ranks_at(job, results[0].places);
  std::vector<int>& others = divergence.is_tie ? divergence.agreeing_ranks : divergence.odd_ranks;
  for (std::size_t at = 1; at < results.size(); ++at) {
    const std::vector<int> ranks = ranks_at(job, results[at].places);
    others.insert(others.end(), ranks.begin(), ranks.end());
  }
  std::ranges::sort(divergence.odd_ranks);
  std::ranges::sort(divergence.agreeing_ranks);
  divergence.step = step_around(job, divergence.odd);
  if (!divergence.step) divergence.step = step_around(job, divergence.usual);
  return divergence;
}

}  // namespace

std::optional<Divergence> find_divergence(const Job& job, const Alignment& alignment) {
  if (job.checksums.empty()) return std::nullopt;
  const Outputs outputs(job);
  const MeetingFinder finder(job, alignment);
  std::vector<char> diverged = suspicious_meetings(job, alignment, finder, outputs);
  std::size_t meetings = 0;
  for (std::size_t at = 0; at < diverged.size(); ++at) {
    if (diverged[at]) diverged[at] = results_of(job, alignment.meetings()[at], outputs).size() > 1 ? 1 : 0;
    if (diverged[at]) ++meetings;
  }
  if (meetings == 0) return std::nullopt;
  const Meeting& first = alignment.meetings()[first_meeting(job, alignment, finder, diverged)];
  Divergence divergence = describe_divergence(job, first, results_of(job, first, outputs));
  divergence.meetings = meetings;
  return divergence;
}

}  // namespace lockstep::ranks
