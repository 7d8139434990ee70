#include "diagnose/arbitrate/met_ranks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/fatal_leaf.h"

namespace lockstep::diagnose {
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

}  // namespace lockstep::diagnose
