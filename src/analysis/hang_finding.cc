#include "analysis/hang_finding.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "analysis/describe.h"
#include "analysis/fixes.h"
#include "analysis/grouped_evidence.h"
#include "analysis/restarted.h"
#include "analysis/signature.h"
#include "analysis/whereabouts.h"

namespace lockstep::analysis {
namespace {

using model::Evidence;
using model::EvidenceLevel;
using model::Finding;
using model::Job;
using model::Leaf;

class HangFinding {
 public:
  HangFinding(const Job& job, const PresenceTable& presence, std::span<const Wait> waits, const Cause& cause)
      : job_(job), presence_(presence), waits_(waits), cause_(cause), wait_(waits[cause.waits.front()]) {}

  Finding make() {
    finding_.scope = model::Scope::kDistributed;
    finding_.root_ranks = cause_.roots;
    finding_.victim_ranks = cause_.victims;
    finding_.leaf = is_before_the_first_step() ? Leaf::kSetupHang : Leaf::kPerfHang;
    switch (cause_.kind) {
      case CauseKind::kMissing:
        wait_.kind == WaitKind::kCollective ? tell_missing() : tell_unmatched_message();
        break;
      case CauseKind::kExtra:
        tell_extra();
        break;
      case CauseKind::kAllCame:
        tell_all_came();
        break;
      case CauseKind::kCircle:
        tell_circle();
        break;
    }
    finding_.fixes = fixes_for(finding_.code);
    return std::move(finding_);
  }

 private:
  // Nothing at all was ever completed: the job never got as far as training.
  bool is_before_the_first_step() const {
    return wait_.sequence <= 1 && std::ranges::none_of(job_.ranks, [](const model::RankHistory& history) {
             return !history.begins_at_start ||
                    std::ranges::any_of(history.events, [](const model::Event& event) {
                      return event.state == model::EventState::kCompleted;
                    });
           });
  }

  const model::Event& waiting_event() const { return event_at(job_, wait_.waiting.front()); }

  std::string operation() const {
    const Signature signature = signature_of(job_, waiting_event());
    return signature.name != model::NameId::kNone ? job_.names[signature.name]
                                                  : std::string(model::name_of(signature.operation));
  }

  std::string call() const {
    return fmt::format("{} number {} in {}", operation(), wait_.sequence, describe(job_, wait_.communicator));
  }

  std::string since() const {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const EventPlace place : wait_.waiting) {
      const std::int64_t begin = event_at(job_, place).begin_ns;
      if (begin != model::kNoTime && !event_at(job_, place).only_duration) first = std::min(first, begin);
    }
    constexpr std::int64_t kYear2001 = 1'000'000'000'000'000'000;
    return first > kYear2001 && first != std::numeric_limits<std::int64_t>::max()
               ? fmt::format(" since {}", time_in_words(first))
               : std::string{};
  }

  std::vector<int> waiting_ranks() const {
    std::vector<int> ranks;
    for (const EventPlace place : wait_.waiting) ranks.push_back(job_.ranks[place.rank].rank.number);
    return ranks;
  }

  void add_waiting_evidence() {
    std::vector<EventPlace> places;
    for (const std::size_t at : cause_.waits) {
      places.insert(places.end(), waits_[at].waiting.begin(), waits_[at].waiting.end());
    }
    for (Evidence& evidence : grouped_evidence(job_, places))
      finding_.evidence.push_back(std::move(evidence));
  }

  // The last thing a rank that did not come is known to have issued, in this group and at all.
  void add_last_known(int rank) {
    const model::RankHistory* history = job_.find_rank(rank);
    if (history == nullptr || history->events.empty()) {
      const bool has_file = history != nullptr && !history->sources.empty();
      finding_.evidence.push_back(
          {.file = has_file ? source_name(job_, history->sources.front()) : std::string{},
           .line = std::nullopt,
           .rank = rank,
           .text = has_file ? "holds no event of this rank" : "no dump, log or recording of this rank",
           .level = EvidenceLevel::kAbsence});
      return;
    }
    const auto index = static_cast<std::uint32_t>(history - job_.ranks.data());
    const auto last = static_cast<std::uint32_t>(history->events.size() - 1);
    Evidence evidence = evidence_of(job_, {.rank = index, .event = last});
    evidence.text = "its last event: " + evidence.text;
    evidence.level = EvidenceLevel::kInferred;
    finding_.evidence.push_back(std::move(evidence));
  }

  std::string last_issued_in_words(int rank) const {
    const auto last = presence_.last_issued(wait_.communicator, rank);
    return last ? fmt::format("number {}", *last) : std::string("none");
  }

  void tell_missing() {
    const std::string who = ranks_in_words(cause_.roots);
    const bool is_one = cause_.roots.size() == 1;
    const std::size_t came = wait_.waiting.size() + wait_.finished.size();
    std::string& why = finding_.explanation;
    why = fmt::format("{} {} in {}{}. ", ranks_in_words(waiting_ranks()),
                      wait_.waiting.size() == 1 ? "waits" : "wait", call(), since());
    add_waiting_evidence();
    if (cause_.is_absence) {
      tell_absence(who, came);
      return;
    }
    finding_.code = "desync.missing_rank";
    finding_.title = fmt::format("{} never joined {}", who, call());
    finding_.confidence = came > 1 ? 0.95 : 0.85;
    if (is_one) {
      why += fmt::format("The last collective {} issued there is {}. ", who,
                         last_issued_in_words(cause_.roots.front()));
    } else {
      why += fmt::format("{} did not issue it. ", who);
    }
    tell_whereabouts();
  }

  void tell_absence(const std::string& who, std::size_t came) {
    finding_.code = "desync.missing_evidence";
    finding_.title =
        fmt::format("{} left no evidence while {} wait in {}", who, ranks_in_words(waiting_ranks()), call());
    finding_.explanation += fmt::format(
        "{} left no dump or recording of it: {} the prime suspect{}, but this is absence of evidence, not "
        "proof. ",
        who, cause_.roots.size() == 1 ? "it is" : "they are", cause_.roots.size() == 1 ? "" : "s");
    const bool too_little = cause_.roots.size() > came;
    finding_.confidence = too_little ? 0.3 : 0.7;
    if (too_little) {
      finding_.explanation +=
          "Most of the group left nothing, so nobody is accused: collect the others' dumps. ";
      finding_.root_ranks.clear();
    }
    constexpr std::size_t kMostShown = 4;
    for (std::size_t at = 0; at < std::min(cause_.roots.size(), kMostShown); ++at)
      add_last_known(cause_.roots[at]);
    tell_whereabouts();
  }

  // Of several missing ranks usually one began it: the one that died, failed or ended says the most.
  void tell_whereabouts() {
    Whereabouts telling;
    int teller = cause_.roots.front();
    telling.place = Place::kElsewhere;
    for (const int rank : cause_.roots) {
      Whereabouts one = whereabouts_of(job_, rank);
      if (one.place == Place::kNoEvidence || one.place >= telling.place) continue;
      telling = std::move(one);
      teller = rank;
    }
    if (!cause_.is_absence) add_last_known(teller);
    if (telling.place != Place::kElsewhere) {
      finding_.explanation += fmt::format("Of rank {} is known: {}. ", teller, telling.words);
      if (telling.evidence) finding_.evidence.push_back(*telling.evidence);
    }
    switch (telling.place) {
      case Place::kDead:
        finding_.code = "desync.dead_rank";
        finding_.confidence = std::max(finding_.confidence, 0.9);
        break;
      case Place::kFailed:
        finding_.code = "desync.failed_rank";
        finding_.confidence = std::max(finding_.confidence, 0.9);
        break;
      case Place::kEnded:
        finding_.code = "desync.ended_early";
        break;
      case Place::kCheckpoint:
      case Place::kEvaluating:
      case Place::kCompiling:
        finding_.code = "desync.slow_work";
        break;
      case Place::kDataLoading:
        finding_.code = "desync.data_loading";
        break;
      default:
        break;
    }
    const bool is_alone = cause_.roots.size() == 1 && finding_.code == "desync.missing_rank";
    if (is_alone && was_restarted(job_, wait_.communicator, teller)) {
      finding_.code = "desync.rank_restarted";
      finding_.explanation += fmt::format(
          "Its numbers begin at the start again, later than the others' records: rank {} was restarted "
          "alone. ",
          teller);
    }
  }

  void tell_unmatched_message() {
    const int waiting = waiting_ranks().front();
    const int partner = cause_.roots.front();
    const bool is_send = wait_.kind == WaitKind::kSend;
    finding_.code = is_send ? "point_to_point.unmatched_send" : "point_to_point.unmatched_receive";
    finding_.title = fmt::format("rank {} never posted {} number {} {} rank {} in {}", partner,
                                 is_send ? "receive" : "send", wait_.sequence, is_send ? "from" : "to",
                                 waiting, describe(job_, wait_.communicator));
    finding_.explanation = fmt::format(
        "Rank {} waits in its {} number {} {} rank {}{}, and the other end was never posted. ", waiting,
        is_send ? "send" : "receive", wait_.sequence, is_send ? "to" : "from", partner, since());
    finding_.confidence = cause_.is_absence ? 0.7 : 0.9;
    add_waiting_evidence();
    tell_whereabouts_of_partner(partner);
  }

  void tell_whereabouts_of_partner(int partner) {
    add_last_known(partner);
    const Whereabouts known = whereabouts_of(job_, partner);
    if (known.place == Place::kElsewhere) return;
    finding_.explanation += fmt::format("Of rank {} is known: {}. ", partner, known.words);
    if (known.evidence) finding_.evidence.push_back(*known.evidence);
  }

  void tell_extra() {
    const std::string who = ranks_in_words(cause_.roots);
    finding_.code = "desync.extra_collective";
    finding_.title =
        fmt::format("{} issued {}, which the other {} members never did", who, call(), wait_.absent.size());
    finding_.explanation = fmt::format(
        "{} {} in it{}. The other members have nothing unfinished and did not issue it: {} made a call that "
        "the rest of "
        "the group does not know. ",
        who, cause_.roots.size() == 1 ? "waits" : "wait", since(), who);
    finding_.confidence = 0.85;
    add_waiting_evidence();
    add_last_known(wait_.absent.front());
  }

  void tell_all_came() {
    finding_.code = "desync.stuck_in_collective";
    const bool some_are_through = !wait_.finished.empty();
    const std::string who = ranks_in_words(waiting_ranks());
    finding_.title = some_are_through ? fmt::format("{} did not finish on {}", call(), who)
                                      : fmt::format("all ranks came to {} and none finished it", call());
    finding_.explanation =
        some_are_through
            ? fmt::format(
                  "{} finished it; on {} it is not finished{}: the kernel or the transport is stuck there. ",
                  ranks_in_words(wait_.finished), who, since())
            : fmt::format(
                  "{} are in it{} and call the same thing: the program did its part, so the kernel, the "
                  "transport or a device is stuck. ",
                  who, since());
    finding_.confidence = some_are_through ? 0.8 : 0.7;
    if (!wait_.unknown.empty()) {
      finding_.title = fmt::format("{} wait in {}", who, call());
      finding_.explanation = fmt::format(
          "{} wait in it{}. The evidence of {} does not reach back far enough to tell whether they came. ",
          who, since(), ranks_in_words(wait_.unknown));
      finding_.confidence = 0.4;
    }
    add_waiting_evidence();
  }

  void tell_circle() {
    const bool only_messages = std::ranges::all_of(
        cause_.waits, [&](std::size_t at) { return waits_[at].kind != WaitKind::kCollective; });
    finding_.code = only_messages ? "deadlock.point_to_point" : "deadlock.order_inversion";
    finding_.confidence = 0.95;
    std::set<std::string> groups;
    for (const std::size_t at : cause_.waits) groups.insert(describe(job_, waits_[at].communicator));
    finding_.title = only_messages ? fmt::format("{} wait for each other's messages in a circle",
                                                 ranks_in_words(cause_.roots))
                                   : fmt::format("{} use {} in different orders and wait for each other",
                                                 ranks_in_words(cause_.roots), fmt::join(groups, " and "));
    finding_.explanation = "The circle: ";
    constexpr std::size_t kMostLinks = 6;
    for (std::size_t index = 0; index < std::min(cause_.waits.size(), kMostLinks); ++index) {
      finding_.explanation += link(waits_[cause_.waits[index]]) + "; ";
    }
    if (cause_.waits.size() > kMostLinks) {
      finding_.explanation += fmt::format("and {} more. ", cause_.waits.size() - kMostLinks);
    }
    finding_.explanation += "none of them can go on, however long one waits. ";
    add_waiting_evidence();
  }

  // "rank 0 waits in group A for rank 1": only with ranks that are part of the circle.
  std::string link(const Wait& wait) const {
    const auto in_circle = [&](int rank) { return std::ranges::binary_search(cause_.roots, rank); };
    std::vector<int> waiting;
    for (const EventPlace place : wait.waiting) {
      const int rank = job_.ranks[place.rank].rank.number;
      if (in_circle(rank)) waiting.push_back(rank);
    }
    std::vector<int> awaited;
    std::ranges::copy_if(wait.absent, std::back_inserter(awaited), in_circle);
    return fmt::format("{} {} in {} for {}", ranks_in_words(waiting), waiting.size() == 1 ? "waits" : "wait",
                       describe(job_, wait.communicator), ranks_in_words(awaited));
  }

  const Job& job_;
  const PresenceTable& presence_;
  std::span<const Wait> waits_;
  const Cause& cause_;
  const Wait& wait_;
  Finding finding_;
};

}  // namespace

Finding finding_of(const Job& job, const PresenceTable& presence, std::span<const Wait> waits,
                   const Cause& cause) {
  return HangFinding(job, presence, waits, cause).make();
}

}  // namespace lockstep::analysis
