// Ranks that did not come, and what they do instead.
#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/failed_ranks.h"
#include "diagnose/ranks/hang/hang_finding.h"
#include "diagnose/ranks/rank_state.h"
#include "diagnose/ranks/signature.h"
#include "diagnose/ranks/thresholds.h"
#include "model/finding_code.h"
#include "model/job.h"

namespace lockstep::ranks {

// A collective that everyone came to and that does not end: the program did its part.

namespace {

void describe_stuck_on_some(HangFindingBuilder& builder, const std::string& who) {
  builder.finding.title = fmt::format("{} did not finish on {}", builder.call(), who);
  builder.finding.explanation =
      fmt::format("{} finished it; on {} it is not finished{}: the kernel or the transport is stuck there. ",
                  ranks_in_words(builder.wait.finished), who, builder.since());
  builder.finding.confidence = confidence::kStuckOnSome;
}

// All devices but these began it.
void describe_not_started(HangFindingBuilder& builder) {
  const std::string who = ranks_in_words(builder.cause.roots);
  const bool is_one = builder.cause.roots.size() == 1;
  builder.finding.title = fmt::format("the device of {} never started {}", who, builder.call());
  builder.finding.explanation = fmt::format(
      "{} issued it{}, and {} never started it while the devices of the others did: something that "
      "{} earlier keeps {}. ",
      who, builder.since(), is_one ? "its device" : "their devices",
      is_one ? "it was given" : "they were given", is_one ? "it" : "them");
  builder.finding.confidence = confidence::kStuckOnSome;
}

// Several calls to which everyone came, and one rank that is in all of them.
void describe_stuck_in_several(HangFindingBuilder& builder) {
  const std::string who = ranks_in_words(builder.cause.roots);
  builder.finding.title = fmt::format("the device of {} is stuck before {}", who, builder.call());
  builder.finding.explanation = fmt::format(
      "{} calls do not end though all their ranks joined them{}, and {} alone is in all of them: its device, "
      "or what "
      "it was given before, does not go on. ",
      builder.cause.waits.size(), builder.since(), who);
  builder.finding.confidence = confidence::kStuckOnSome;
}

// A send and its receive are both posted.
void describe_stuck_message(HangFindingBuilder& builder) {
  const Wait& wait = builder.wait;
  const std::vector<int> waiting = builder.waiting_ranks();
  const std::string which = fmt::format("{} #{} in {}", wait.kind == WaitKind::kSend ? "send" : "receive",
                                        wait.sequence, describe(builder.job, wait.communicator));
  builder.finding.confidence = confidence::kStuckOnAll;
  if (!wait.finished.empty()) {
    builder.finding.title = fmt::format("{} does not finish {} though {} did", ranks_in_words(waiting), which,
                                        ranks_in_words(wait.finished));
    builder.finding.explanation = fmt::format(
        "Both ends of the message are posted{}. {} finished it; on {} it is not finished: the kernel or "
        "the transport is stuck there. ",
        builder.since(), ranks_in_words(wait.finished), ranks_in_words(waiting));
    builder.finding.confidence = confidence::kStuckOnSome;
    return;
  }
  builder.finding.title =
      fmt::format("{} posted both ends of {} and neither finished it", ranks_in_words(waiting), which);
  builder.finding.explanation = fmt::format(
      "The send and its receive are posted{}: the kernel, the transport or a device is stuck. Which of the "
      "two ranks "
      "it is cannot be known from this. ",
      builder.since());
}

bool has_an_unknown_root(const HangFindingBuilder& builder) {
  const Signature signature = signature_of(builder.job, event_at(builder.job, builder.wait.waiting.front()));
  switch (signature.operation) {
    case model::Operation::kBroadcast:
    case model::Operation::kReduce:
    case model::Operation::kGather:
    case model::Operation::kScatter:
      return signature.root < 0;
    default:
      return false;
  }
}

void describe_stuck_on_all(HangFindingBuilder& builder, const std::string& who) {
  builder.finding.title = fmt::format("all ranks joined {} and none finished it", builder.call());
  builder.finding.explanation = fmt::format(
      "{} are in it{} and call the same thing: the program did its part, so the kernel, the transport or a "
      "device is stuck. Which of them it is cannot be known from this. ",
      who, builder.since());
  builder.finding.confidence = confidence::kStuckOnAll;
  if (has_an_unknown_root(builder)) {
    builder.finding.explanation +=
        "Which root each rank named is not recorded: check that they all name the same one. ";
  }
}

void describe_not_enough_known(HangFindingBuilder& builder, const std::string& who) {
  builder.finding.title = fmt::format("{} wait in {}", who, builder.call());
  builder.finding.explanation = fmt::format(
      "{} wait in it{}. The evidence of {} does not reach back far enough to tell whether they came. ", who,
      builder.since(), ranks_in_words(builder.wait.unknown));
  builder.finding.confidence = confidence::kTooLittleKnown;
}

bool ended_because_of_others(const HangFindingBuilder& builder, int rank) {
  const model::RankHistory* history = builder.job.find_rank(rank);
  return history != nullptr && was_let_down(*history);
}

bool is_lost(const HangFindingBuilder& builder, int rank) {
  const Place place = rank_state_of(builder.job, rank).place;
  return place == Place::kDead || place == Place::kStopped;
}

// A rank that died or was stopped in it, or before it waited for what it had posted, is what the others in it
// wait for. Those who ended because their call was given up are not meant where another ended by itself.
std::vector<int> lost_inside(const HangFindingBuilder& builder) {
  const auto is_let_down = [&](int rank) { return ended_because_of_others(builder, rank); };
  const auto lost_of = [&](std::vector<int> ranks) {
    std::erase_if(ranks, [&](int rank) { return !is_lost(builder, rank); });
    return ranks;
  };
  const auto by_themselves = [&](std::vector<int> ranks) {
    std::erase_if(ranks, is_let_down);
    return ranks;
  };
  const std::vector<int> waiting = lost_of(builder.waiting_ranks());
  if (std::vector<int> first = by_themselves(waiting); !first.empty()) return first;
  std::vector<int> others = by_themselves(lost_of(builder.wait.finished));
  return others.empty() ? waiting : others;
}

void describe_lost_inside(HangFindingBuilder& builder, std::vector<int> lost) {
  model::Finding& finding = builder.finding;
  const RankState known = rank_state_of(builder.job, lost.front());
  const bool is_stopped = known.place == Place::kStopped;
  finding.code = is_stopped ? model::codes::kStoppedRank : model::codes::kDeadRank;
  finding.title = fmt::format("{} {} inside {}", ranks_in_words(lost), is_stopped ? "is stopped" : "died",
                              builder.call());
  finding.explanation = fmt::format(
      "All ranks joined it. Rank {}: {}. The others cannot {} without {}. ", lost.front(), known.words,
      builder.wait.finished.empty() ? "finish it" : "go on", lost.size() == 1 ? "it" : "them");
  finding.confidence = confidence::kDiedInside;
  finding.victim_ranks = builder.waiting_ranks();
  finding.victim_ranks.insert(finding.victim_ranks.end(), builder.wait.finished.begin(),
                              builder.wait.finished.end());
  std::ranges::sort(finding.victim_ranks);
  std::erase_if(finding.victim_ranks, [&](int rank) { return std::ranges::binary_search(lost, rank); });
  finding.root_ranks = std::move(lost);
}

}  // namespace

void describe_all_came(HangFindingBuilder& builder) {
  const std::string who = ranks_in_words(builder.waiting_ranks());
  builder.finding.code = model::codes::kStuckInCollective;
  std::vector<int> lost = lost_inside(builder);
  const bool has_others = lost.size() < builder.waiting_ranks().size() || !builder.wait.finished.empty();
  const bool explains_it = !lost.empty() && has_others;
  if (explains_it) {
    describe_lost_inside(builder, std::move(lost));
  } else if (!builder.wait.unknown.empty()) {
    describe_not_enough_known(builder, who);
  } else if (builder.cause.waits.size() > 1) {
    describe_stuck_in_several(builder);
  } else if (builder.wait.finished.empty() && !builder.cause.roots.empty()) {
    describe_not_started(builder);
  } else if (builder.wait.kind != WaitKind::kCollective) {
    describe_stuck_message(builder);
  } else if (!builder.wait.finished.empty()) {
    describe_stuck_on_some(builder, who);
  } else {
    describe_stuck_on_all(builder, who);
  }
  builder.add_waiting_evidence();
}

// A few ranks in a collective that the rest of the group never meant to call.

namespace {

bool waits_elsewhere(const HangFindingBuilder& builder, int rank) {
  return std::ranges::any_of(builder.waits, [&](const Wait& wait) {
    return std::ranges::any_of(
        wait.waiting, [&](EventPlace place) { return builder.job.ranks[place.rank].rank.number == rank; });
  });
}

}  // namespace

void describe_extra(HangFindingBuilder& builder) {
  model::Finding& finding = builder.finding;
  const std::string who = ranks_in_words(builder.cause.roots);
  finding.code = model::codes::kExtraCollective;
  finding.title = fmt::format("{} issued {}, which the other {} members never did", who, builder.call(),
                              builder.wait.absent.size());
  finding.explanation = fmt::format(
      "{} {} in it{}. The other members {} and did not issue it: {} made a call that the rest of the group "
      "does "
      "not know. ",
      who, builder.cause.roots.size() == 1 ? "waits" : "wait", builder.since(),
      waits_elsewhere(builder, builder.wait.absent.front()) ? "went on to other calls"
                                                            : "have nothing unfinished",
      who);
  finding.confidence = confidence::kExtraCollective;
  builder.add_waiting_evidence();
  builder.add_last_known(builder.wait.absent.front());
}

// Ranks that wait for each other: a deadlock by its structure, however long one waits.

namespace {

// "rank 0 waits in group A for rank 1"
std::string link(const HangFindingBuilder& builder, const Wait& wait) {
  const auto in_circle = [&](int rank) {
    return std::ranges::binary_search(builder.cause.roots, rank) ||
           std::ranges::binary_search(builder.cause.victims, rank);
  };
  std::vector<int> waiting;
  for (const EventPlace place : wait.waiting) {
    const int rank = builder.job.ranks[place.rank].rank.number;
    if (in_circle(rank)) waiting.push_back(rank);
  }
  std::vector<int> awaited;
  std::ranges::copy_if(wait.absent, std::back_inserter(awaited), in_circle);
  const std::string who =
      fmt::format("{} {} in {}", ranks_in_words(waiting), waiting.size() == 1 ? "waits" : "wait",
                  describe(builder.job, wait.communicator));
  return awaited.empty() ? who + " behind an earlier call"
                         : fmt::format("{} for {}", who, ranks_in_words(awaited));
}

// Whether the circle is between the roots and others, not among the roots alone.
bool is_against_the_rest(const HangFindingBuilder& builder) {
  const auto is_root = [&](EventPlace place) {
    return std::ranges::binary_search(builder.cause.roots, builder.job.ranks[place.rank].rank.number);
  };
  return std::ranges::any_of(builder.cause.waits, [&](std::size_t at) {
    return std::ranges::none_of(builder.waits[at].waiting, is_root);
  });
}

}  // namespace

void describe_circle(HangFindingBuilder& builder) {
  model::Finding& finding = builder.finding;
  const std::vector<std::size_t>& waits = builder.cause.waits;
  const bool only_messages = std::ranges::all_of(
      waits, [&](std::size_t at) { return builder.waits[at].kind != WaitKind::kCollective; });
  std::set<std::string> groups;
  for (const std::size_t at : waits) groups.insert(describe(builder.job, builder.waits[at].communicator));

  finding.code = only_messages ? model::codes::kMessageDeadlock : model::codes::kOrderInversion;
  finding.confidence = confidence::kCircle;
  const std::string who = ranks_in_words(builder.cause.roots);
  const std::string which = fmt::format("{}", fmt::join(groups, " and "));
  if (only_messages && is_against_the_rest(builder)) {
    finding.title =
        fmt::format("{} departed from the usual order of messages and now waits in a circle with {}", who,
                    ranks_in_words(builder.cause.victims));
  } else if (only_messages) {
    finding.title = fmt::format("{} wait for each other's messages in a circle", who);
  } else if (is_against_the_rest(builder)) {
    finding.title = fmt::format("{} {} {} in another order than the others: they wait for each other", who,
                                builder.cause.roots.size() == 1 ? "uses" : "use", which);
  } else {
    finding.title = fmt::format("{} use {} in different orders and wait for each other", who, which);
  }
  constexpr std::size_t kMaxLinks = 6;
  std::vector<std::string> links;
  for (std::size_t index = 0; index < std::min(waits.size(), kMaxLinks); ++index) {
    links.push_back(link(builder, builder.waits[waits[index]]));
  }
  if (waits.size() > kMaxLinks) links.push_back(fmt::format("and {} more", waits.size() - kMaxLinks));
  finding.explanation =
      fmt::format("The circle: {}. None of them can go on, however long one waits. ", fmt::join(links, "; "));
  builder.add_waiting_evidence();
}

// A send or receive whose other end was never posted.

namespace {

// Such a rank posts nothing any more: its loss is the fault, as it is where the others wait in a collective.
bool is_lost(Place place) {
  return place == Place::kDead || place == Place::kStopped || place == Place::kFailed;
}

}  // namespace

void describe_unmatched_message(HangFindingBuilder& builder) {
  model::Finding& finding = builder.finding;
  const Wait& wait = builder.wait;
  const int waiting = builder.waiting_ranks().front();
  const int partner = builder.cause.roots.front();
  const bool is_send = wait.kind == WaitKind::kSend;
  finding.code = is_send ? model::codes::kUnmatchedSend : model::codes::kUnmatchedReceive;
  finding.title =
      fmt::format("rank {} never posted {} #{} {} rank {} in {}", partner, is_send ? "receive" : "send",
                  wait.sequence, is_send ? "from" : "to", waiting, describe(builder.job, wait.communicator));
  finding.explanation = fmt::format(
      "Rank {} waits in its {} #{} {} rank {}{}, and the other end was never posted. ", waiting,
      is_send ? "send" : "receive", wait.sequence, is_send ? "to" : "from", partner, builder.since());
  finding.confidence = builder.cause.is_absence ? confidence::kUnmatchedAbsent : confidence::kUnmatchedSeen;
  builder.add_waiting_evidence();
  builder.add_last_known(partner);
  const RankState known = rank_state_of(builder.job, partner);
  if (known.place != Place::kElsewhere) {
    finding.explanation += fmt::format("Rank {}: {}. ", partner, known.words);
    if (known.evidence) finding.evidence.push_back(*known.evidence);
    if (is_lost(known.place)) finding.code = code_for(known.place);
  }
  builder.add_stack(partner, known);
}

namespace {

// A rank that came back alone and counts its collectives from the start again.

const model::Event* first_in(const model::RankHistory& history, model::CommunicatorId communicator) {
  const auto found = std::ranges::find_if(history.events, [&](const model::Event& event) {
    return is_placed(event) && event.communicator == communicator && event.begin_ns != model::kNoTime;
  });
  return found == history.events.end() ? nullptr : &*found;
}

// True when the rank's first collective in the communicator is an early one, issued later than some other
// rank issued a much later one.
bool was_restarted(const model::Job& job, model::CommunicatorId communicator, int rank) {
  const model::RankHistory* history = job.find_rank(rank);
  if (history == nullptr || !history->begins_at_start) return false;
  const model::Event* first = first_in(*history, communicator);
  if (first == nullptr) return false;
  return std::ranges::any_of(job.ranks, [&](const model::RankHistory& other) {
    return other.rank.number != rank && std::ranges::any_of(other.events, [&](const model::Event& event) {
             return is_placed(event) && event.communicator == communicator &&
                    event.begin_ns != model::kNoTime && event.begin_ns < first->begin_ns &&
                    event.sequence > first->sequence + kClearlyLater;
           });
  });
}

using model::Finding;

// Of several missing ranks usually one began it: the one that died, failed or ended says the most.
struct Teller {
  int rank = 0;
  RankState known;
};

Teller most_telling(const HangFindingBuilder& builder) {
  Teller teller{.rank = builder.cause.roots.front(),
                .known = {.place = Place::kElsewhere, .words = "", .evidence = {}}};
  for (const int rank : builder.cause.roots) {
    RankState known = rank_state_of(builder.job, rank);
    if (known.place != Place::kNoEvidence && known.place < teller.known.place) {
      teller = {.rank = rank, .known = std::move(known)};
    }
  }
  return teller;
}

void add_rank_state(HangFindingBuilder& builder, const Teller& teller) {
  Finding& finding = builder.finding;
  if (teller.known.place == Place::kElsewhere) return;
  finding.explanation += fmt::format("Rank {}: {}. ", teller.rank, teller.known.words);
  if (teller.known.evidence) finding.evidence.push_back(*teller.known.evidence);
  if (const std::string_view code = code_for(teller.known.place); !code.empty()) finding.code = code;
  const bool is_certain = teller.known.place == Place::kDead || teller.known.place == Place::kStopped ||
                          teller.known.place == Place::kFailed;
  if (is_certain) finding.confidence = std::max(finding.confidence, confidence::kMissingRankLost.value);
}

void add_restart(HangFindingBuilder& builder, int rank) {
  const bool is_alone = builder.cause.roots.size() == 1 && builder.finding.code == model::codes::kMissingRank;
  if (!is_alone || !was_restarted(builder.job, builder.wait.communicator, rank)) return;
  builder.finding.code = model::codes::kRankRestarted;
  builder.finding.explanation += fmt::format(
      "Its numbers begin at the start again, later than the others' records: rank {} was restarted alone. ",
      rank);
}

bool is_inside_an_open_region(const HangFindingBuilder& builder, int rank) {
  const model::RankHistory* history = builder.job.find_rank(rank);
  return history != nullptr && std::ranges::any_of(history->events, [&](const model::Event& event) {
           return is_placed(event) && event.communicator == builder.wait.communicator &&
                  event.sequence == builder.wait.sequence;
         });
}

bool has_finished_everything(const model::Job& job, int rank) {
  const model::RankHistory* history = job.find_rank(rank);
  return history != nullptr && std::ranges::none_of(history->events, [](const model::Event& event) {
           return event.kind != model::EventKind::kActivity && model::is_unfinished(event);
         });
}

void describe_seen(HangFindingBuilder& builder) {
  Finding& finding = builder.finding;
  const std::string who = ranks_in_words(builder.cause.roots);
  finding.code = model::codes::kMissingRank;
  finding.title = fmt::format("{} never joined {}", who, builder.call());
  finding.confidence = builder.wait.waiting.size() + builder.wait.finished.size() > 1
                           ? confidence::kMissingRankSeen
                           : confidence::kMissingRankOneWaits;
  if (builder.cause.roots.size() == 1) {
    const int rank = builder.cause.roots.front();
    if (is_inside_an_open_region(builder, rank)) {
      finding.explanation += fmt::format("Rank {} began the coalesced region and never closed it. ", rank);
      return;
    }
    const auto last = builder.presence.last_issued(builder.wait.communicator, rank);
    finding.explanation += fmt::format(
        "Rank {} {}; its last collective there is {}. ", rank,
        has_finished_everything(builder.job, rank) ? "finished all that it issued" : "did not issue it",
        last ? fmt::format("#{}", *last) : std::string("none at all"));
  } else {
    finding.explanation += fmt::format("{} did not issue it. ", who);
  }
  if (builder.cause.silent.empty()) return;
  finding.explanation +=
      fmt::format("{} left no dump or recording, so whether {} came is not known. ",
                  ranks_in_words(builder.cause.silent), builder.cause.silent.size() == 1 ? "it" : "they");
}

void describe_absence(HangFindingBuilder& builder) {
  Finding& finding = builder.finding;
  const bool is_one = builder.cause.roots.size() == 1;
  const std::string who = ranks_in_words(builder.cause.roots);
  finding.code = model::codes::kMissingEvidence;
  finding.title = fmt::format("{} left no evidence while {} wait in {}", who,
                              ranks_in_words(builder.waiting_ranks()), builder.call());
  finding.explanation +=
      fmt::format("{} left no dump or recording of it: {}, but this is absence of evidence, not proof. ", who,
                  is_one ? "it is the prime suspect" : "they are the prime suspects");
  finding.confidence = confidence::kMissingEvidence;
  const bool too_little_is_known =
      builder.cause.roots.size() > builder.wait.waiting.size() + builder.wait.finished.size();
  if (too_little_is_known) {
    finding.explanation +=
        "Most of the group left nothing, so nobody is accused: collect the others' dumps. ";
    finding.confidence = confidence::kMostLeftNothing;
    finding.root_ranks.clear();
  }
}

}  // namespace

void describe_missing(HangFindingBuilder& builder) {
  builder.finding.explanation = builder.have_been_waiting();
  builder.cause.is_absence ? describe_absence(builder) : describe_seen(builder);
  builder.add_waiting_evidence();
  const Teller teller = most_telling(builder);
  builder.add_last_known(teller.rank);
  add_rank_state(builder, teller);
  builder.add_stack(teller.rank, teller.known);
  add_restart(builder, teller.rank);
}

}  // namespace lockstep::ranks
