#include "diagnose/arbitrate/interruption.h"

#include <algorithm>
#include <iterator>

#include "diagnose/arbitrate/about_waiting.h"

namespace lockstep::diagnose {
namespace {

bool tells_an_interruption(const model::Finding& finding) {
  return finding.code == "sched.interrupted" || finding.code == "sched.death_signal";
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
    return is_about_waiting(finding) || finding.code.starts_with("process.");
  });
}

void fold_into_the_signal(std::vector<model::Finding>& from_ranks, bool was_seen_live,
                          std::vector<model::Finding>& from_logs) {
  constexpr double kQuiteSure = 0.75;
  if (from_logs.empty() || from_logs.front().code != "sched.death_signal") return;
  model::Finding& told = from_logs.front();
  std::erase_if(from_ranks, [&](model::Finding& finding) {
    const bool is_lost = finding.code == "desync.dead_rank";
    const bool is_the_end_itself =
        !was_seen_live && is_about_waiting(finding) && is_shown_by_recordings_alone(finding);
    if (!is_lost && !is_the_end_itself) return false;
    std::ranges::move(finding.evidence, std::back_inserter(told.evidence));
    told.confidence = std::max(told.confidence, kQuiteSure);
    return true;
  });
}

}  // namespace lockstep::diagnose
