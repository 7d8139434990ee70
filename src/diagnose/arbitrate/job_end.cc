#include "diagnose/arbitrate/job_end.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/finding_code.h"
#include "model/leaf.h"

namespace lockstep::diagnose {

namespace {

bool is_a_guess(const model::Finding& finding) {
  return finding.code.is(model::CodeFamily::kLeaf);
}

}  // namespace

bool all_exited_cleanly(const model::Job& job) {
  return !job.ranks.empty() && job.world_size == static_cast<int>(job.ranks.size()) &&
         std::ranges::all_of(job.ranks, [](const model::RankHistory& history) {
           return history.rank.end == model::RankEnd::kClean;
         });
}

void drop_what_they_got_over(std::vector<model::Finding>& from_logs) {
  std::erase_if(from_logs, [](const model::Finding& finding) {
    return model::is_fatal(finding.leaf) || is_a_guess(finding);
  });
}

namespace {

using model::Finding;
using model::Leaf;

bool is_about_setup(const Finding& finding) {
  return finding.leaf == Leaf::kSetupFail || finding.leaf == Leaf::kSetupHang;
}

bool is_error_of_its_own(const Finding& finding) {
  return model::is_fatal(finding.leaf) && !is_about_setup(finding) && finding.leaf != Leaf::kRunComm &&
         !finding.evidence.empty();
}

bool has_met_another(const model::RankHistory& history) {
  return std::ranges::any_of(history.events, [](const model::Event& event) {
    return event.kind == model::EventKind::kCollective && event.state == model::EventState::kCompleted;
  });
}

}  // namespace

bool all_have_met(const model::Job& job) {
  return job.ranks.size() > 1 && std::ranges::all_of(job.ranks, has_met_another);
}

void put_setup_behind_errors(std::vector<Finding>& from_logs) {
  if (from_logs.empty() || !is_about_setup(from_logs.front())) return;
  const auto error = std::ranges::find_if(from_logs, is_error_of_its_own);
  if (error == from_logs.end()) return;
  std::swap(error->confidence, from_logs.front().confidence);
  std::rotate(from_logs.begin(), error, std::next(error));
}

namespace {

bool tells_an_interruption(const model::Finding& finding) {
  return finding.code == model::codes::kSchedInterrupted || finding.code == model::codes::kSchedDeathSignal;
}

// Whoever records also watches; dumps and stacks are taken of jobs that somebody saw hang.
bool is_shown_by_recordings_alone(const model::Finding& finding) {
  return !finding.evidence.empty() && std::ranges::all_of(finding.evidence, [](const model::Evidence& one) {
    return one.file.ends_with(".lockstep");
  });
}

}  // namespace

std::optional<model::Finding> take_interruption(std::vector<model::Finding>& seen_live) {
  const auto told = std::ranges::find_if(seen_live, tells_an_interruption);
  if (told == seen_live.end()) return std::nullopt;
  model::Finding taken = std::move(*told);
  seen_live.erase(told);
  return taken;
}

void drop_what_the_end_left(std::vector<model::Finding>& from_ranks) {
  std::erase_if(from_ranks, [](const model::Finding& finding) {
    return is_about_waiting(finding) || finding.code.is(model::CodeFamily::kProcess);
  });
}

void fold_into_the_signal(std::vector<model::Finding>& from_ranks, bool was_seen_live,
                          std::vector<model::Finding>& from_logs) {
  constexpr double kQuiteSure = 0.75;
  if (from_logs.empty() || from_logs.front().code != model::codes::kSchedDeathSignal) return;
  model::Finding& told = from_logs.front();
  std::erase_if(from_ranks, [&](model::Finding& finding) {
    const bool is_lost = finding.code == model::codes::kDeadRank;
    const bool is_the_end_itself =
        !was_seen_live && is_about_waiting(finding) && is_shown_by_recordings_alone(finding);
    if (!is_lost && !is_the_end_itself) return false;
    std::ranges::move(finding.evidence, std::back_inserter(told.evidence));
    told.confidence = std::max(told.confidence, kQuiteSure);
    return true;
  });
}

}  // namespace lockstep::diagnose
