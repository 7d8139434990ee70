#include "diagnose/arbitrate/combine.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "diagnose/arbitrate/job_end.h"
#include "model/finding_code.h"
#include "model/leaf.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Leaf;

constexpr double kSure = 0.6;

bool only_tells_how_a_process_ended(const Finding& finding) {
  return finding.code.is(model::CodeFamily::kProcess);
}

bool tells_more_than_a_status(const Finding& finding) {
  return finding.code != model::codes::kProcessEnded;
}

bool is_printed(const Finding& finding) {
  return !finding.evidence.empty();
}

// A launcher names the signal that ended a process in its own log, and the rank elsewhere.
bool names_no_rank(const Finding& finding) {
  return finding.root_ranks.empty() &&
         std::ranges::all_of(finding.evidence, [](const auto& one) { return !one.rank; });
}

bool tells_of_a_death(const Finding& finding) {
  return finding.code == model::codes::kDeadRank;
}

// The others wait for a rank that is no more: whatever ended it is the reason.
bool tells_of_a_lost_rank(const Finding& finding) {
  return tells_of_a_death(finding) || finding.code == model::codes::kFailedRank;
}

// Where one rank alone failed by itself, what the launcher's log says of a failure is about that rank.
void say_which_rank_failed(const std::vector<Finding>& from_ranks, std::vector<Finding>& from_logs) {
  const auto ended = std::ranges::find_if(from_ranks, [](const Finding& finding) {
    return tells_of_a_lost_rank(finding) ||
           (only_tells_how_a_process_ended(finding) && finding.victim_ranks.empty());
  });
  if (ended == from_ranks.end() || ended->root_ranks.size() != 1) return;
  if (from_logs.empty() || !names_no_rank(from_logs.front())) return;
  from_logs.front().root_ranks = ended->root_ranks;
  from_logs.front().victim_ranks = ended->victim_ranks;
}

// A crash that a launcher tells without its rank is that of the one rank that died.
void say_which_rank_crashed(const std::vector<Finding>& from_ranks, std::vector<Finding>& from_logs) {
  const auto lost = std::ranges::find_if(from_ranks, tells_of_a_death);
  if (lost == from_ranks.end() || lost->root_ranks.size() != 1) return;
  for (Finding& printed : from_logs) {
    if (printed.leaf != Leaf::kRunSegv || !is_printed(printed) || !names_no_rank(printed)) continue;
    printed.root_ranks = lost->root_ranks;
    printed.victim_ranks = lost->victim_ranks;
  }
}

// Communication that a lost rank itself could not do, as a name that it used twice, is its own error and no
// complaint about others.
bool is_error_of_a_lost_rank(const Finding& printed, const std::vector<Finding>& from_ranks) {
  const auto lost = std::ranges::find_if(from_ranks, tells_of_a_lost_rank);
  return lost != from_ranks.end() && lost->root_ranks.size() == 1 && printed.root_ranks == lost->root_ranks &&
         printed.confidence >= kSure && (printed.leaf == Leaf::kRunComm || printed.leaf == Leaf::kPrepComm);
}

// A launcher waits for its processes and knows which was killed first. Whoever watches them sees several gone
// at a time, where the launcher ends the rest at once.
void believe_the_launcher(const Finding& killed, Finding& lost) {
  if (killed.root_ranks.size() != 1 || killed.root_ranks == lost.root_ranks) return;
  lost.root_ranks = killed.root_ranks;
  lost.victim_ranks = killed.victim_ranks;
  lost.title = fmt::format("Rank {} was killed first, by the launcher's word", lost.root_ranks.front());
  lost.explanation =
      "The launcher saw this rank end by a signal, and ended the others, whose processes are gone too.";
}

// That a process was killed is no word about memory where the ranks' records show that ranks are gone and
// nothing shows why.
void fold_a_signal_into_the_loss(std::vector<Finding>& from_ranks, std::vector<Finding>& from_logs) {
  const auto lost = std::ranges::find_if(from_ranks, tells_of_a_death);
  if (lost == from_ranks.end()) return;
  std::erase_if(from_logs, [&](Finding& printed) {
    if (printed.code != model::codes::kKilled || printed.root_ranks.size() > 1) return false;
    believe_the_launcher(printed, *lost);
    std::ranges::move(printed.evidence, std::back_inserter(lost->evidence));
    return true;
  });
}

bool only_repeats_that_a_process_failed(const Finding& finding) {
  return finding.code.is_echo();
}

// It left no record at all, as one that fails before its framework is there.
bool tells_of_an_unseen_rank(const Finding& finding) {
  return finding.code == model::codes::kMissingEvidence || finding.code == model::codes::kSetupRankNotStarted;
}

// Where all ranks print the same, the lost ones do too.
bool is_printed_by(const std::vector<int>& ranks, const Finding& printed) {
  return !ranks.empty() && std::ranges::all_of(ranks, [&](int rank) {
    return std::ranges::any_of(printed.evidence,
                               [&](const model::Evidence& one) { return one.rank == rank; });
  });
}

// What such a rank printed about itself is why it was lost, even where that alone would be doubtful.
bool explains_a_loss(const Finding& printed, const std::vector<Finding>& from_ranks) {
  if (only_repeats_that_a_process_failed(printed)) return false;
  const auto lost = std::ranges::find_if(from_ranks, [&](const Finding& finding) {
    return tells_of_a_lost_rank(finding) ||
           (tells_of_an_unseen_rank(finding) && model::is_fatal(printed.leaf));
  });
  if (lost == from_ranks.end() || !is_printed(printed) || is_about_waiting(printed)) return false;
  if (!printed.root_ranks.empty()) return printed.root_ranks == lost->root_ranks;
  return model::is_fatal(printed.leaf) && is_printed_by(lost->root_ranks, printed);
}

// A stall or a lost connection that the framework itself complained of bears the proof out.
void hand_over_first_lines(Finding& complaint, Finding& proof) {
  constexpr std::size_t kMax = 2;
  complaint.evidence.resize(std::min(complaint.evidence.size(), kMax));
  std::ranges::move(complaint.evidence, std::back_inserter(proof.evidence));
}

// What the ranks' times show and one of them prints as well is one finding.
void join_what_is_told_twice(std::vector<Finding>& from_ranks, std::vector<Finding>& from_logs) {
  std::erase_if(from_logs, [&](Finding& printed) {
    const auto same = std::ranges::find_if(from_ranks, [&](const Finding& finding) {
      return finding.code == printed.code && finding.root_ranks == printed.root_ranks;
    });
    if (same == from_ranks.end()) return false;
    hand_over_first_lines(printed, *same);
    return true;
  });
}

bool is_calls_that_do_not_fit(const Finding& finding) {
  return finding.code.is(model::CodeFamily::kMismatch);
}

// Ranks that bring buffers of different sizes write past the smaller one, TensorFlow calls the graph broken
// in which a collective failed, and a framework that notices the misfit cannot say whose call is the odd one.
bool may_come_of_calls_that_do_not_fit(const Finding& finding, const Finding& misfit) {
  if (finding.leaf == Leaf::kRunSegv || finding.leaf == Leaf::kRunGraph) return true;
  constexpr double kNamesTheOddOne = 0.9;
  return finding.leaf == misfit.leaf && finding.root_ranks.empty() && misfit.confidence >= kNamesTheOddOne;
}

std::vector<Finding> in_order(std::vector<Finding> from_ranks, std::vector<Finding> from_logs) {
  join_what_is_told_twice(from_ranks, from_logs);
  say_which_rank_crashed(from_ranks, from_logs);
  // Two witnesses who agree are believed, even where each alone would be doubted.
  const auto is_confirmed = [&](const Finding& finding) {
    return is_printed(finding) && std::ranges::any_of(from_ranks, [&](const Finding& ended) {
             return only_tells_how_a_process_ended(ended) && ended.leaf == finding.leaf &&
                    finding.leaf != Leaf::kRunOther;
           });
  };
  const auto is_sure = [&](const Finding& finding) {
    return finding.confidence >= kSure || is_confirmed(finding);
  };
  const auto proof = std::ranges::find_if(
      from_ranks, [&](const Finding& finding) { return is_sure(finding) && is_about_waiting(finding); });
  const auto first_misfit = std::ranges::find_if(from_ranks, [&](const Finding& finding) {
    return is_sure(finding) && is_calls_that_do_not_fit(finding);
  });
  std::optional<Finding> misfit;
  if (first_misfit != from_ranks.end()) misfit = *first_misfit;
  const auto comes_first = [&](const Finding& finding) {
    if (misfit && may_come_of_calls_that_do_not_fit(finding, *misfit)) return false;
    return is_sure(finding) || explains_a_loss(finding, from_ranks);
  };
  fold_a_signal_into_the_loss(from_ranks, from_logs);
  const bool logs_tell_a_cause = std::ranges::any_of(from_logs, is_sure);
  if (proof != from_ranks.end()) {
    std::erase_if(from_logs, [&](Finding& printed) {
      if (!is_about_waiting(printed) || is_error_of_a_lost_rank(printed, from_ranks)) return false;
      hand_over_first_lines(printed, *proof);
      return true;
    });
  }
  if (logs_tell_a_cause) say_which_rank_failed(from_ranks, from_logs);
  if (logs_tell_a_cause) std::erase_if(from_ranks, only_tells_how_a_process_ended);

  const auto first_doubtful = std::stable_partition(from_logs.begin(), from_logs.end(), comes_first);
  const auto first_guess = std::stable_partition(first_doubtful, from_logs.end(), is_printed);
  const auto first_status =
      std::stable_partition(from_ranks.begin(), from_ranks.end(), tells_more_than_a_status);
  std::vector<Finding> all;
  std::move(from_logs.begin(), first_doubtful, std::back_inserter(all));
  std::move(from_ranks.begin(), first_status, std::back_inserter(all));
  std::move(first_doubtful, first_guess, std::back_inserter(all));
  std::move(first_status, from_ranks.end(), std::back_inserter(all));
  std::move(first_guess, from_logs.end(), std::back_inserter(all));
  return all;
}

}  // namespace

model::Verdict combine(model::Verdict from_ranks, model::Verdict from_logs) {
  model::Verdict verdict = std::move(from_ranks);
  if (verdict.job.framework.empty()) verdict.job.framework = from_logs.job.framework;
  if (verdict.job.backend.empty()) verdict.job.backend = from_logs.job.backend;
  if (!verdict.job.world_size) verdict.job.world_size = from_logs.job.world_size;
  if (!verdict.job.hosts) verdict.job.hosts = from_logs.job.hosts;
  std::vector<int>& seen = verdict.job.ranks_seen;
  std::ranges::copy(from_logs.job.ranks_seen, std::back_inserter(seen));
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  verdict.findings = in_order(std::move(verdict.findings), std::move(from_logs.findings));
  std::ranges::move(from_logs.limits, std::back_inserter(verdict.limits));
  return verdict;
}

}  // namespace lockstep::diagnose
