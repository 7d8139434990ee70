#include "diagnose/ranks/analyse.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "diagnose/ranks/align.h"
#include "diagnose/ranks/correctness/divergence.h"
#include "diagnose/ranks/correctness/lone_steps.h"
#include "diagnose/ranks/correctness/set_up.h"
#include "diagnose/ranks/correctness/uneven_steps.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/failed_ranks.h"
#include "diagnose/ranks/hang/hang_finding.h"
#include "diagnose/ranks/hang/point_to_point.h"
#include "diagnose/ranks/hang/presence.h"
#include "diagnose/ranks/hang/set_up_beliefs.h"
#include "diagnose/ranks/hang/sparse_evidence.h"
#include "diagnose/ranks/hang/unmade_communicator.h"
#include "diagnose/ranks/hang/wait.h"
#include "diagnose/ranks/hang/wait_graph.h"
#include "diagnose/ranks/mismatch/mismatch.h"
#include "diagnose/ranks/mismatch/uneven_exchange.h"
#include "diagnose/ranks/timing/communication_time.h"
#include "diagnose/ranks/timing/slow_link.h"
#include "diagnose/ranks/timing/straggler.h"
#include "diagnose/ranks/timing/timings.h"
#include "diagnose/ranks/training_position.h"
#include "model/finding_code.h"

namespace lockstep::ranks {

std::vector<model::Finding> find_performance_faults(const model::Job& job, const Alignment& alignment) {
  const Timings timings = measure_timings(job, alignment);
  const Stragglers stragglers = find_stragglers(job, timings);
  std::vector<model::Finding> findings = findings_of(job, alignment, stragglers);
  if (auto slow = finding_of(job, find_slow_links(job, alignment, timings))) {
    findings.push_back(*std::move(slow));
  }
  const CommunicationTime time = measure_communication_time(job, alignment, timings);
  if (auto exposed = finding_of(job, time, stragglers)) findings.push_back(*std::move(exposed));
  if (auto growing = find_growing_work(job, timings)) findings.push_back(*std::move(growing));
  if (const auto divergence = find_divergence(job, alignment)) {
    findings.push_back(finding_of(job, *divergence));
  }
  if (auto same = find_same_inputs(job, alignment)) findings.push_back(*std::move(same));
  if (auto drift = find_model_drift(job)) findings.push_back(*std::move(drift));
  if (auto lone = find_lone_steps(job)) findings.push_back(*std::move(lone));
  return findings;
}

namespace {

using model::Finding;
using model::Job;

// A fault in what was called explains the waiting behind it: one finding, with everyone who waits as its
// victim.
class Explanations {
 public:
  void add(Finding finding, model::CommunicatorId communicator, std::uint64_t from_number) {
    faults_.push_back({.finding = std::move(finding),
                       .communicator = communicator,
                       .from_number = from_number,
                       .sender = std::nullopt,
                       .receiver = std::nullopt});
  }
  void add_message(Finding finding, const MessageMismatch& mismatch) {
    faults_.push_back({.finding = std::move(finding),
                       .communicator = mismatch.communicator,
                       .from_number = mismatch.number,
                       .sender = mismatch.sender,
                       .receiver = mismatch.receiver});
  }

  bool explains(const Job& job, const Wait& wait) const { return fault_behind(job, wait) != nullptr; }

  // True when the cause is a wait that one of the faults explains; its victims are then the fault's.
  bool absorb(const Job& job, std::span<const Wait> waits, const Cause& cause) {
    if (cause.kind != CauseKind::kAllCame) return false;
    const Fault* fault = fault_behind(job, waits[cause.waits.front()]);
    if (fault == nullptr) return false;
    Finding& finding = faults_[static_cast<std::size_t>(fault - faults_.data())].finding;
    std::vector<int>& victims = finding.victim_ranks;
    victims.insert(victims.end(), cause.victims.begin(), cause.victims.end());
    victims.insert(victims.end(), cause.roots.begin(), cause.roots.end());
    std::ranges::sort(victims);
    victims.erase(std::unique(victims.begin(), victims.end()), victims.end());
    std::erase_if(victims, [&](int rank) { return std::ranges::binary_search(finding.root_ranks, rank); });
    finding.leaf = finding.leaf == model::Leaf::kPerfResult ? model::Leaf::kPerfHang : finding.leaf;
    return true;
  }

  std::vector<Finding> take() {
    std::vector<Finding> findings;
    for (Fault& fault : faults_) findings.push_back(std::move(fault.finding));
    return findings;
  }

 private:
  struct Fault {
    Finding finding;
    model::CommunicatorId communicator;
    std::uint64_t from_number;
    std::optional<int> sender;  // of a message; none for collectives
    std::optional<int> receiver;
  };

  const Fault* fault_behind(const Job& job, const Wait& wait) const {
    const auto found = std::ranges::find_if(faults_, [&](const Fault& fault) {
      const bool is_here = fault.communicator == wait.communicator && fault.from_number <= wait.sequence;
      if (!is_here || fault.sender.has_value() != (wait.kind != WaitKind::kCollective)) return false;
      if (!fault.sender) return true;
      const int waiting = job.ranks[wait.waiting.front().rank].rank.number;
      return waiting == *fault.sender || waiting == *fault.receiver;
    });
    return found == faults_.end() ? nullptr : &*found;
  }

  std::vector<Fault> faults_;
};

Explanations find_explanations(const Job& job, const Alignment& alignment, const PointToPoint& messages) {
  Explanations explanations;
  for (const UnmadeCommunicator& unmade : find_unmade_communicators(job, alignment)) {
    explanations.add(finding_of(job, unmade), unmade.communicator, 0);
  }
  for (const Mismatch& mismatch : find_mismatches(job, alignment)) {
    explanations.add(finding_of(job, mismatch), mismatch.communicator, mismatch.sequence);
  }
  for (const UnevenExchange& exchange : find_uneven_exchanges(job, alignment)) {
    explanations.add(finding_of(job, exchange), exchange.communicator, exchange.sequence);
  }
  for (const MessageMismatch& mismatch : messages.mismatches) {
    explanations.add_message(finding_of(job, mismatch), mismatch);
  }
  return explanations;
}

void add_training_positions(const Job& job, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const bool is_about_waiting =
        finding.leaf == model::Leaf::kPerfHang || finding.code.is(model::CodeFamily::kDesync);
    if (!is_about_waiting) continue;
    std::vector<int> ranks = finding.root_ranks;
    ranks.insert(ranks.end(), finding.victim_ranks.begin(), finding.victim_ranks.end());
    finding.explanation += training_positions_in_words(job, ranks);
  }
}

std::vector<Finding> find_broken_step(const Job& job, const Alignment& alignment) {
  const PresenceTable presence(job);
  PointToPoint messages = match_point_to_point(job, presence);
  Explanations explanations = find_explanations(job, alignment, messages);

  std::vector<Wait> waits = find_collective_waits(job, alignment, presence);
  std::ranges::move(messages.waits, std::back_inserter(waits));
  std::vector<bool> explained;
  for (const Wait& wait : waits) explained.push_back(explanations.explains(job, wait));

  std::vector<Finding> findings;
  for (const Cause& cause : find_causes(job, waits, explained)) {
    if (!explanations.absorb(job, waits, cause)) findings.push_back(finding_of(job, presence, waits, cause));
  }
  std::ranges::move(explanations.take(), std::back_inserter(findings));
  add_training_positions(job, findings);
  return findings;
}

const Finding* naming_as_root(const std::vector<Finding>& findings, const std::vector<int>& ranks) {
  const auto named = std::ranges::find_if(findings, [&](const Finding& finding) {
    return std::ranges::any_of(
        ranks, [&](int rank) { return std::ranges::binary_search(finding.root_ranks, rank); });
  });
  return named == findings.end() ? nullptr : &*named;
}

std::vector<int> victims_of(const std::vector<Finding>& findings) {
  std::vector<int> victims;
  for (const Finding& finding : findings) {
    victims.insert(victims.end(), finding.victim_ranks.begin(), finding.victim_ranks.end());
  }
  return victims;
}

void most_likely_first(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, [](const Finding& left, const Finding& right) {
    if (left.confidence != right.confidence) return left.confidence > right.confidence;
    if (left.victim_ranks.size() != right.victim_ranks.size()) {
      return left.victim_ranks.size() > right.victim_ranks.size();
    }
    return left.root_ranks < right.root_ranks;
  });
}

struct Reason {
  std::string_view rule;
  std::string_view reason;
};
constexpr Reason kEndedEarly{"ended_early",
                             "a rank that is missing because it has done its steps ended early"};
constexpr Reason kAlreadyNamed{"already_named", "that a rank failed is told with the wait that names it"};
constexpr Reason kNeverSetUp{"versions_in_setup", "releases that differ explain why no rank got past set-up"};
constexpr Reason kNeverMet{"beliefs_before_waits",
                           "ranks that were told different things about the job wait for each other"};
constexpr Reason kBrokenStepFirst{"broken_step_first",
                                  "a job that broke step is not slow, so what its times show comes after"};

class Analyst {
 public:
  explicit Analyst(const Job& job) : job_(job), alignment_(align(job)) {}

  Analysis analyse() {
    // Speed is judged beside step: both only read.
    std::future<std::vector<Finding>> speed =
        std::async(std::launch::async, [this] { return find_performance_faults(job_, alignment_); });
    found_.findings = find_broken_step(job_, alignment_);
    explain_early_ends();
    if (findings().empty()) {
      for (const LaggingCounter& lagging : find_lagging_counters(job_))
        findings().push_back(finding_of(job_, lagging));
    }
    add_failed_ranks();
    explain_by_beliefs();
    if (findings().empty()) {
      if (auto unstarted = find_unstarted_ranks(job_)) findings().push_back(*std::move(unstarted));
    }
    if (findings().empty()) {
      if (auto stuck = find_stuck_stacks(job_)) findings().push_back(*std::move(stuck));
    }
    explain_by_versions();
    most_likely_first(findings());
    add_behind(speed.get());
    for (Finding& finding : findings()) {
      finding.title = as_sentences(finding.title);
      finding.explanation = as_sentences(finding.explanation);
    }
    return std::move(found_);
  }

 private:
  std::vector<Finding>& findings() { return found_.findings; }

  void note(const Reason& why, model::Outcome outcome, const model::FindingCode& finding,
            const model::FindingCode& other) {
    found_.decisions.push_back({.rule = std::string(why.rule),
                                .finding = finding,
                                .outcome = outcome,
                                .other = other,
                                .reason = std::string(why.reason)});
  }

  void explain_early_ends() {
    const auto uneven = find_uneven_steps(job_, alignment_);
    if (!uneven) return;
    for (Finding& finding : findings()) {
      const model::FindingCode before = finding.code;
      explain_by_uneven_steps(*uneven, finding);
      if (finding.code != before) note(kEndedEarly, model::Outcome::kRenamed, finding.code, before);
    }
  }

  void add_failed_ranks() {
    auto failed = find_failed_ranks(job_, victims_of(findings()));
    if (!failed) return;
    if (const Finding* named = naming_as_root(findings(), failed->root_ranks)) {
      note(kAlreadyNamed, model::Outcome::kDropped, failed->code, named->code);
    } else {
      findings().push_back(*std::move(failed));
    }
  }

  // Whoever looks for the others elsewhere, or for more of them, is why nobody gets on.
  void explain_by_beliefs() {
    const bool waits =
        std::ranges::any_of(findings(), [](const Finding& finding) { return finding.code.is_wait(); });
    const bool stands = findings().empty() && std::ranges::all_of(job_.ranks, stands_at_the_start);
    if (!waits && !stands) return;
    auto disagreement = find_set_up_disagreement(job_);
    if (!disagreement) return;
    std::erase_if(findings(), [&](const Finding& finding) {
      if (!finding.code.is_wait()) return false;
      note(kNeverMet, model::Outcome::kDropped, finding.code, disagreement->code);
      return true;
    });
    findings().push_back(*std::move(disagreement));
  }

  void explain_by_versions() {
    const std::size_t before = findings().size();
    add_version_skew(job_, findings());
    const bool comes_first =
        before != 0 && findings().size() > before && findings().front().code == model::codes::kVersionsDiffer;
    if (comes_first)
      note(kNeverSetUp, model::Outcome::kOrderedBefore, findings()[0].code, findings()[1].code);
  }

  void add_behind(std::vector<Finding> about_speed) {
    most_likely_first(about_speed);
    for (Finding& slow : about_speed) {
      const bool would_be_first = !findings().empty() && slow.confidence > findings().front().confidence;
      if (would_be_first)
        note(kBrokenStepFirst, model::Outcome::kOrderedBehind, slow.code, findings().front().code);
    }
    std::ranges::move(about_speed, std::back_inserter(findings()));
  }

  const Job& job_;
  Alignment alignment_;
  Analysis found_;
};

}  // namespace

Analysis analyse_with_reasons(const Job& job) {
  return Analyst(job).analyse();
}

std::vector<Finding> analyse(const Job& job) {
  return analyse_with_reasons(job).findings;
}

}  // namespace lockstep::ranks
