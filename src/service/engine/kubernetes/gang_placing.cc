#include "service/engine/kubernetes/gang_placing.h"

#include <random>

namespace lockstep::service {

GangPlacing::Step GangPlacing::next(const std::vector<PodState>& pods, Clock::time_point now) {
  if (away_until_) {
    if (!pods.empty() || now < *away_until_) return Step::kStayAway;
    away_until_.reset();
    return Step::kMakeAgain;
  }
  const std::size_t without = ranks_without_place(pods).size();
  if (without == 0 || without == pods.size()) {
    partly_placed_since_.reset();
    return Step::kGoOn;
  }
  if (!partly_placed_since_) partly_placed_since_ = now;
  if (patience_.count() == 0 || now - *partly_placed_since_ < patience_) return Step::kGoOn;
  partly_placed_since_.reset();
  away_until_ = now + time_away();
  return Step::kGiveBack;
}

// Between a half of the patience and one and a half.
std::chrono::milliseconds GangPlacing::time_away() {
  const std::chrono::milliseconds whole = patience_;
  std::minstd_rand random(++seed_);
  random.discard(1);
  return whole / 2 + std::chrono::milliseconds(random() % static_cast<std::uint32_t>(whole.count() + 1));
}

std::vector<int> ranks_without_place(const std::vector<PodState>& pods) {
  std::vector<int> ranks;
  for (const PodState& pod : pods) {
    if (pod.phase == "Pending" && pod.node.empty()) ranks.push_back(pod.rank);
  }
  return ranks;
}

}  // namespace lockstep::service
