#include "diagnose/ranks/mismatch/mismatch.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/habit.h"
#include "diagnose/ranks/thresholds.h"
#include "model/finding_code.h"

namespace lockstep::ranks {

namespace {

using model::Finding;
using model::Job;
using model::Leaf;

std::string_view code_for(const Mismatch& mismatch) {
  if (mismatch.shift == Shift::kSkipped) return model::codes::kMismatchSkippedCollective;
  if (mismatch.shift == Shift::kExtra) return model::codes::kMismatchExtraCollective;
  switch (mismatch.aspect) {
    case Aspect::kOperation:
      return model::codes::kMismatchOperation;
    case Aspect::kShape:
      return model::codes::kMismatchShape;
    case Aspect::kDataType:
      return model::codes::kMismatchDataType;
    case Aspect::kReduceOp:
      return model::codes::kMismatchReduceOp;
    case Aspect::kRoot:
      return model::codes::kMismatchRoot;
  }
  return "";
}

std::vector<int> odd_ranks(const Mismatch& mismatch) {
  std::vector<int> ranks;
  for (std::size_t at = 1; at < mismatch.sides.size(); ++at) {
    const std::vector<int>& side = mismatch.sides[at].ranks;
    ranks.insert(ranks.end(), side.begin(), side.end());
  }
  std::ranges::sort(ranks);
  return ranks;
}

// A title has no room for it.
void leave_out_what_is_equal(Signature& one, Signature& other) {
  if (one.reduce_op == other.reduce_op) one.reduce_op = other.reduce_op = model::ReduceOp::kNone;
  if (one.root == other.root) one.root = other.root = -1;
}

std::string title_for(const Job& job, const Mismatch& mismatch, const std::vector<int>& odd) {
  const std::string where =
      fmt::format("collective #{} in {}", mismatch.sequence, describe(job, mismatch.communicator));
  const std::string who = ranks_in_words(odd);
  switch (mismatch.shift) {
    case Shift::kSkipped:
      return fmt::format("{} skipped {} and is one call ahead of the others", who, where);
    case Shift::kExtra:
      return fmt::format("{} made one more call than the others at {}", who, where);
    case Shift::kNone:
      break;
  }
  Signature theirs = mismatch.sides[1].signature;
  Signature usual = mismatch.sides[0].signature;
  leave_out_what_is_equal(theirs, usual);
  const bool is_told_by_names = operation_in_words(job, theirs) != operation_in_words(job, usual);
  return fmt::format("{} called {} while {} called {} (#{}, {})", who,
                     is_told_by_names ? operation_in_words(job, theirs) : describe(job, theirs),
                     ranks_in_words(mismatch.sides[0].ranks),
                     is_told_by_names ? operation_in_words(job, usual) : describe(job, usual),
                     mismatch.sequence, name_of(job, mismatch.communicator));
}

std::string explanation_for(const Job& job, const Mismatch& mismatch) {
  std::string text;
  for (const Side& side : mismatch.sides) {
    text += fmt::format("{} called {}. ", ranks_in_words(side.ranks), describe(job, side.signature));
  }
  if (mismatch.is_tie) {
    text += fmt::format(
        "It is a tie: as many ranks call the one as the other. {} {}, so the others are named, with less "
        "confidence. ",
        ranks_in_words(mismatch.sides[0].ranks),
        mismatch.is_by_habit ? "called what was called before" : "issued first");
  }
  switch (mismatch.shift) {
    case Shift::kSkipped:
      text += "Its calls are those that the others make one number later. ";
      break;
    case Shift::kExtra:
      text += "Its calls are those that the others make one number earlier. ";
      break;
    case Shift::kNone:
      break;
  }
  const bool is_same_size = mismatch.aspect == Aspect::kShape &&
                            has_equal_sizes(mismatch.sides[0].signature, mismatch.sides[1].signature);
  if (mismatch.is_refused) {
    text += "The library noticed it and failed the call on all of them. ";
  } else if (is_same_size) {
    text += "The tensors have equally many elements, so nothing hangs: values land in the wrong places. ";
  } else if (!mismatch.is_pending) {
    text += "The call ended all the same; what it computed is not what was meant. ";
  }
  return text;
}

double confidence_in(const Mismatch& mismatch) {
  if (mismatch.is_tie) return confidence::kMismatchTie;
  if (mismatch.is_refused) return confidence::kMismatchPending;
  const bool is_same_size = mismatch.aspect == Aspect::kShape &&
                            has_equal_sizes(mismatch.sides[0].signature, mismatch.sides[1].signature);
  if (is_same_size) return confidence::kMismatchSameSize;
  return mismatch.is_pending ? confidence::kMismatchPending : confidence::kMismatchCompleted;
}

Leaf leaf_for(const Mismatch& mismatch) {
  if (mismatch.is_refused) {
    const bool is_about_tensors = mismatch.aspect == Aspect::kShape || mismatch.aspect == Aspect::kDataType;
    return is_about_tensors ? Leaf::kRunTensor : Leaf::kRunComm;
  }
  return mismatch.is_pending ? Leaf::kPerfHang : Leaf::kPerfResult;
}

// What is broadcast is a model, what is reduced may be of a batch.
void put_the_model_first(const Mismatch& mismatch, std::vector<model::Fix>& fixes) {
  if (mismatch.sides.front().signature.operation != model::Operation::kBroadcast) return;
  std::ranges::stable_sort(fixes, {}, [](const model::Fix& fix) {
    return fix.pattern == model::FixPattern::kModelConstruction ? 0 : 1;
  });
}

void add_evidence(const Job& job, Finding& finding, EventPlace place, const std::vector<int>& ranks) {
  model::Evidence evidence = evidence_of(job, place);
  if (ranks.size() > 1) evidence.text = fmt::format("{}: {}", ranks_in_words(ranks), evidence.text);
  finding.evidence.push_back(std::move(evidence));
  const model::StackId stack = event_at(job, place).stack;
  if (stack == model::StackId::kNone) return;
  if (auto code = code_place(job.stacks[stack], ranks)) add_place(finding, *std::move(code));
}

}  // namespace

Finding finding_of(const Job& job, const Mismatch& mismatch) {
  const std::vector<int> odd = odd_ranks(mismatch);
  Finding finding;
  finding.leaf = leaf_for(mismatch);
  finding.code = code_for(mismatch);
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence_in(mismatch);
  finding.root_ranks = odd;
  finding.victim_ranks = mismatch.sides.front().ranks;
  finding.title = title_for(job, mismatch, odd);
  finding.explanation = explanation_for(job, mismatch);
  for (std::size_t at = 1; at < mismatch.sides.size(); ++at) {
    add_evidence(job, finding, mismatch.sides[at].first, mismatch.sides[at].ranks);
  }
  add_evidence(job, finding, mismatch.sides.front().first, mismatch.sides.front().ranks);
  finding.fixes = catalogue::fixes_for(finding.code);
  put_the_model_first(mismatch, finding.fixes);
  return finding;
}

Finding finding_of(const Job& job, const MessageMismatch& mismatch) {
  Finding finding;
  const bool is_pending = model::is_unfinished(event_at(job, mismatch.send)) ||
                          model::is_unfinished(event_at(job, mismatch.receive));
  finding.leaf = is_pending ? Leaf::kPerfHang : Leaf::kPerfResult;
  finding.code = model::codes::kMismatchMessage;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = mismatch.number > 0 ? confidence::kMismatchMessage : confidence::kMismatchUnnumbered;
  finding.root_ranks = {std::min(mismatch.sender, mismatch.receiver),
                        std::max(mismatch.sender, mismatch.receiver)};
  finding.title = fmt::format("rank {} sends something else than rank {} expects in {}", mismatch.sender,
                              mismatch.receiver, describe(job, mismatch.communicator));
  const std::string message =
      mismatch.number > 0 ? fmt::format("Message #{}", mismatch.number) : std::string("A pending message");
  finding.explanation = fmt::format("{} from rank {} to rank {}: the sender calls {}, the receiver {}. ",
                                    message, mismatch.sender, mismatch.receiver,
                                    describe(job, signature_of(job, event_at(job, mismatch.send))),
                                    describe(job, signature_of(job, event_at(job, mismatch.receive))));
  add_evidence(job, finding, mismatch.send, {mismatch.sender});
  add_evidence(job, finding, mismatch.receive, {mismatch.receiver});
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

namespace {

using model::CollectiveId;
using model::CommunicatorId;
using model::Event;
using model::Job;
using model::Operation;

using SignatureNumber = std::uint32_t;

// Signatures as small numbers: equal numbers, equal signatures. Each distinct call is looked at once.
class Signatures {
 public:
  explicit Signatures(const Job& job) : job_(job), by_collective_(job.collectives.size(), kNotYet) {}

  SignatureNumber of(const Event& event) {
    const bool needs_name = event.collective == CollectiveId::kNone ||
                            job_.collectives[event.collective].operation == Operation::kUnknown;
    if (needs_name) {
      const auto key = std::pair(event.collective, event.name);
      const auto found = by_name_.find(key);
      return found != by_name_.end() ? found->second : by_name_[key] = number(signature_of(job_, event));
    }
    SignatureNumber& known = by_collective_[static_cast<std::size_t>(event.collective)];
    if (known == kNotYet) known = number(signature_of(job_, event));
    return known;
  }

  const Signature& operator[](SignatureNumber number) const { return all_[number]; }

 private:
  static constexpr SignatureNumber kNotYet = ~SignatureNumber{0};

  SignatureNumber number(Signature signature) {
    const auto found = std::ranges::find(all_, signature);
    if (found != all_.end()) return static_cast<SignatureNumber>(found - all_.begin());
    all_.push_back(std::move(signature));
    return static_cast<SignatureNumber>(all_.size() - 1);
  }

  const Job& job_;
  std::vector<SignatureNumber> by_collective_;
  std::map<std::pair<CollectiveId, model::NameId>, SignatureNumber> by_name_;
  std::vector<Signature> all_;
};

// The calls one rank made under one number: several when it coalesced them.
using Run = std::vector<SignatureNumber>;

bool is_closed(const Run& run, const Signatures& signatures) {
  return signatures[run.back()].operation == Operation::kCoalesced;
}

// A region that was still open when the dump was made is a prefix of what the others have; so are calls after
// which the ring ended.
std::optional<std::size_t> first_differing_call(const Run& left, const Run& right,
                                                const Signatures& signatures) {
  const std::size_t both = std::min(left.size(), right.size());
  for (std::size_t at = 0; at < both; ++at) {
    if (left[at] != right[at]) return at;
  }
  const Run& shorter = left.size() < right.size() ? left : right;
  if (left.size() == right.size() || !is_closed(shorter, signatures)) return std::nullopt;
  return both;
}

struct RunOfRanks {
  int rank = 0;
  std::vector<EventPlace> places;
  Run calls;
};

std::vector<RunOfRanks> runs_of(const Job& job, const Meeting& meeting, Signatures& signatures) {
  std::vector<RunOfRanks> runs;
  for (const EventPlace place : meeting.arrivals) {
    if (runs.empty() || runs.back().places.front().rank != place.rank) {
      runs.push_back({.rank = job.ranks[place.rank].rank.number, .places = {}, .calls = {}});
    }
    runs.back().places.push_back(place);
    runs.back().calls.push_back(signatures.of(event_at(job, place)));
  }
  return runs;
}

bool are_all_equal(const Job& job, const Meeting& meeting, Signatures& signatures) {
  std::uint32_t last_rank = ~0U;
  CollectiveId first_collective = CollectiveId::kNone;
  SignatureNumber first_signature = 0;
  for (const EventPlace place : meeting.arrivals) {
    const Event& event = event_at(job, place);
    if (place.rank == last_rank) return false;  // coalesced: the runs decide
    const bool is_first = last_rank == ~0U;
    last_rank = place.rank;
    if (is_first) {
      first_collective = event.collective;
      first_signature = signatures.of(event);
    } else if ((event.collective != first_collective || first_collective == CollectiveId::kNone) &&
               signatures.of(event) != first_signature) {
      return false;
    }
  }
  return true;
}

bool issued_before(const Job& job, EventPlace left, EventPlace right) {
  const std::int64_t left_time = event_at(job, left).begin_ns;
  const std::int64_t right_time = event_at(job, right).begin_ns;
  if (left_time != model::kNoTime && right_time != model::kNoTime && left_time != right_time) {
    return left_time < right_time;
  }
  return left.rank < right.rank;
}

// The index of the call in which the runs of a meeting first differ, and the ranks by what they called there.
struct Split {
  std::size_t call = 0;
  std::vector<Side> sides;
};

std::optional<Split> split(const Job& job, const std::vector<RunOfRanks>& runs,
                           const Signatures& signatures) {
  // Whoever differs from anybody differs from the longest run: it has every call that two can be compared in.
  const RunOfRanks& longest =
      *std::ranges::max_element(runs, {}, [](const RunOfRanks& run) { return run.calls.size(); });
  std::optional<std::size_t> first;
  for (const RunOfRanks& run : runs) {
    const auto differing = first_differing_call(longest.calls, run.calls, signatures);
    if (differing && (!first || *differing < *first)) first = differing;
  }
  if (!first) return std::nullopt;
  Split result{.call = *first, .sides = {}};
  std::map<SignatureNumber, std::size_t> side_of;
  for (const RunOfRanks& run : runs) {
    if (run.calls.size() <= *first) continue;  // its region ended before: it says nothing about this call
    const EventPlace place = run.places[*first];
    const auto [found, is_new] = side_of.try_emplace(run.calls[*first], result.sides.size());
    if (is_new)
      result.sides.push_back({.signature = signatures[run.calls[*first]], .ranks = {}, .first = place});
    Side& side = result.sides[found->second];
    side.ranks.push_back(run.rank);
    if (issued_before(job, place, side.first)) side.first = place;
  }
  if (result.sides.size() < 2) return std::nullopt;
  std::ranges::sort(result.sides, [&](const Side& left, const Side& right) {
    if (left.ranks.size() != right.ranks.size()) return left.ranks.size() > right.ranks.size();
    return issued_before(job, left.first, right.first);
  });
  return result;
}

// The run of the rank with this index in a meeting; empty when it has none.
Run run_of(const Job& job, const Meeting& meeting, std::uint32_t rank, Signatures& signatures) {
  Run run;
  auto at = std::ranges::lower_bound(meeting.arrivals, rank, {}, &EventPlace::rank);
  for (; at != meeting.arrivals.end() && at->rank == rank; ++at)
    run.push_back(signatures.of(event_at(job, *at)));
  return run;
}

// Whether `ahead` from `at` on made the calls that `behind` made one number later.
bool is_one_ahead(const Job& job, std::span<const Meeting> from_here, std::uint32_t ahead,
                  std::uint32_t behind, Signatures& signatures) {
  std::size_t agreeing = 0;
  for (std::size_t at = 0; at + 1 < std::min(from_here.size(), kCallsCompared); ++at) {
    const Run left = run_of(job, from_here[at], ahead, signatures);
    const Run right = run_of(job, from_here[at + 1], behind, signatures);
    if (left.empty() || right.empty()) break;
    if (left != right) return false;
    ++agreeing;
  }
  return agreeing > 0;
}

// Where nobody has called anything since: what each would have called next.
Shift shift_by_habit(const Job& job, const Mismatch& mismatch) {
  const EventPlace usual = mismatch.sides[0].first;
  const EventPlace odd = mismatch.sides[1].first;
  const bool skipped = would_call_next(job, usual, odd);
  const bool extra = would_call_next(job, odd, usual);
  if (skipped == extra) return Shift::kNone;
  return skipped ? Shift::kSkipped : Shift::kExtra;
}

Shift shift_of(const Job& job, std::span<const Meeting> from_here, const Mismatch& mismatch,
               Signatures& signatures) {
  const bool is_known_who = !mismatch.is_tie || mismatch.is_by_habit;
  if (mismatch.sides.size() != 2 || !is_known_who) return Shift::kNone;
  const std::uint32_t usual = mismatch.sides[0].first.rank;
  const std::uint32_t odd = mismatch.sides[1].first.rank;
  const bool skipped = is_one_ahead(job, from_here, odd, usual, signatures);
  const bool extra = is_one_ahead(job, from_here, usual, odd, signatures);
  if (skipped == extra) return shift_by_habit(job, mismatch);
  return skipped ? Shift::kSkipped : Shift::kExtra;
}

// A library that compares what ranks bring fails the call when the last one has come; a timeout takes longer.
bool is_refused(const Job& job, const Meeting& meeting) {
  std::int64_t last_begin = model::kNoTime;
  std::int64_t last_end = model::kNoTime;
  for (const EventPlace place : meeting.arrivals) {
    const Event& event = event_at(job, place);
    if (event.state != model::EventState::kFailed || event.begin_ns == model::kNoTime ||
        event.end_ns == model::kNoTime) {
      return false;
    }
    last_begin = std::max(last_begin, event.begin_ns);
    last_end = std::max(last_end, event.end_ns);
  }
  return last_end - kRefusedWithinNs <= last_begin;
}

bool was_called_in(const Job& job, std::span<const Meeting> meetings, const Signature& signature,
                   Signatures& signatures) {
  const std::span<const Meeting> latest = meetings.last(std::min(meetings.size(), kHabitMeetings));
  return std::ranges::any_of(latest, [&](const Meeting& meeting) {
    return signatures[signatures.of(event_at(job, meeting.arrivals.front()))] == signature;
  });
}

// Between equal numbers: who calls what all of them called before goes on, who calls something new broke off.
void put_the_habit_first(const Job& job, std::span<const Meeting> before, Mismatch& mismatch,
                         Signatures& signatures) {
  if (!mismatch.is_tie || mismatch.sides.size() != 2) return;
  const bool first = was_called_in(job, before, mismatch.sides[0].signature, signatures);
  const bool second = was_called_in(job, before, mismatch.sides[1].signature, signatures);
  mismatch.is_by_habit = first != second;
  if (second && !first) std::swap(mismatch.sides[0], mismatch.sides[1]);
  if (mismatch.is_by_habit) return;
  const auto goes_on = [&](const Side& side) { return follows_its_habit(job, side.first); };
  const std::optional<bool> usual = goes_on(mismatch.sides[0]);
  const std::optional<bool> other = goes_on(mismatch.sides[1]);
  mismatch.is_by_habit = usual && other && *usual != *other;
  if (mismatch.is_by_habit && *other) std::swap(mismatch.sides[0], mismatch.sides[1]);
}

std::optional<Mismatch> mismatch_in(const Job& job, std::span<const Meeting> before,
                                    std::span<const Meeting> from_here, Signatures& signatures) {
  const Meeting& meeting = from_here.front();
  if (are_all_equal(job, meeting, signatures)) return std::nullopt;
  std::optional<Split> found = split(job, runs_of(job, meeting, signatures), signatures);
  if (!found) return std::nullopt;
  Mismatch mismatch{
      .communicator = meeting.communicator,
      .sequence = meeting.sequence,
      .aspect =
          first_difference(found->sides[0].signature, found->sides[1].signature).value_or(Aspect::kOperation),
      .sides = std::move(found->sides)};
  mismatch.is_tie = mismatch.sides[0].ranks.size() == mismatch.sides[1].ranks.size();
  put_the_habit_first(job, before, mismatch, signatures);
  mismatch.is_pending = std::ranges::any_of(
      meeting.arrivals, [&](EventPlace place) { return model::is_unfinished(event_at(job, place)); });
  mismatch.is_refused = is_refused(job, meeting);
  mismatch.shift = shift_of(job, from_here, mismatch, signatures);
  return mismatch;
}

}  // namespace

std::vector<Mismatch> find_mismatches(const Job& job, const Alignment& alignment) {
  std::vector<Mismatch> all;
  Signatures signatures(job);
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    const std::span<const Meeting> meetings = alignment.meetings_of(static_cast<CommunicatorId>(at));
    for (std::size_t index = 0; index < meetings.size(); ++index) {
      if (std::optional<Mismatch> found =
              mismatch_in(job, meetings.first(index), meetings.subspan(index), signatures)) {
        all.push_back(*std::move(found));
        break;
      }
    }
  }
  return all;
}

}  // namespace lockstep::ranks
