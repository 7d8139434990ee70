#include "diagnose/ranks/mismatch/mismatch_finding.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/describe.h"

namespace lockstep::ranks {
namespace {

using model::Finding;
using model::Job;
using model::Leaf;

std::string_view code_for(const Mismatch& mismatch) {
  if (mismatch.shift == Shift::kSkipped) return "mismatch.skipped_collective";
  if (mismatch.shift == Shift::kExtra) return "mismatch.extra_collective";
  switch (mismatch.aspect) {
    case Aspect::kOperation:
      return "mismatch.operation";
    case Aspect::kShape:
      return "mismatch.shape";
    case Aspect::kDataType:
      return "mismatch.data_type";
    case Aspect::kReduceOp:
      return "mismatch.reduce_op";
    case Aspect::kRoot:
      return "mismatch.root";
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

std::string title_for(const Job& job, const Mismatch& mismatch, const std::vector<int>& odd) {
  const std::string where =
      fmt::format("collective number {} in {}", mismatch.sequence, describe(job, mismatch.communicator));
  const std::string who = ranks_in_words(odd);
  if (mismatch.is_tie) {
    return fmt::format("{} and {} call different things as {}", ranks_in_words(mismatch.sides[0].ranks), who,
                       where);
  }
  switch (mismatch.shift) {
    case Shift::kSkipped:
      return fmt::format("{} skipped {} and is one call ahead of the others", who, where);
    case Shift::kExtra:
      return fmt::format("{} made one call more than the others as {}", who, where);
    case Shift::kNone:
      break;
  }
  return fmt::format("{} brought {} where the others brought {}, as {}", who,
                     describe(job, mismatch.sides[1].signature), describe(job, mismatch.sides[0].signature),
                     where);
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
      text += "From there on its calls are those of the others one number later. ";
      break;
    case Shift::kExtra:
      text += "From there on its calls are those of the others one number earlier. ";
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
  if (mismatch.is_tie) return 0.7;
  if (mismatch.is_refused) return 0.97;
  const bool is_same_size = mismatch.aspect == Aspect::kShape &&
                            has_equal_sizes(mismatch.sides[0].signature, mismatch.sides[1].signature);
  if (is_same_size) return 0.6;
  return mismatch.is_pending ? 0.97 : 0.9;
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

Finding finding_of(const Job& job, const UnevenExchange& exchange) {
  Finding finding;
  finding.leaf = model::is_unfinished(event_at(job, exchange.first)) ? Leaf::kPerfHang : Leaf::kPerfResult;
  finding.code = "mismatch.exchange";
  finding.scope = model::Scope::kDistributed;
  finding.confidence = 0.85;
  finding.victim_ranks = exchange.ranks;
  finding.title =
      fmt::format("all_to_all number {} in {} sends {} elements but expects {}", exchange.sequence,
                  describe(job, exchange.communicator), exchange.elements_sent, exchange.elements_received);
  finding.explanation =
      "What all members send and what all members expect must be equally much; how much each sends to each "
      "is not "
      "recorded, so the odd rank cannot be named. ";
  add_evidence(job, finding, exchange.first, exchange.ranks);
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

Finding finding_of(const Job& job, const MessageMismatch& mismatch) {
  Finding finding;
  const bool is_pending = model::is_unfinished(event_at(job, mismatch.send)) ||
                          model::is_unfinished(event_at(job, mismatch.receive));
  finding.leaf = is_pending ? Leaf::kPerfHang : Leaf::kPerfResult;
  finding.code = "mismatch.message";
  finding.scope = model::Scope::kDistributed;
  finding.confidence = mismatch.number > 0 ? 0.85 : 0.6;
  finding.root_ranks = {std::min(mismatch.sender, mismatch.receiver),
                        std::max(mismatch.sender, mismatch.receiver)};
  finding.title = fmt::format("rank {} sends something else than rank {} expects in {}", mismatch.sender,
                              mismatch.receiver, describe(job, mismatch.communicator));
  const std::string message = mismatch.number > 0 ? fmt::format("Message number {}", mismatch.number)
                                                  : std::string("A pending message");
  finding.explanation = fmt::format("{} from rank {} to rank {}: the sender calls {}, the receiver {}. ",
                                    message, mismatch.sender, mismatch.receiver,
                                    describe(job, signature_of(job, event_at(job, mismatch.send))),
                                    describe(job, signature_of(job, event_at(job, mismatch.receive))));
  add_evidence(job, finding, mismatch.send, {mismatch.sender});
  add_evidence(job, finding, mismatch.receive, {mismatch.receiver});
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
