// All pods of an attempt or none: where some have places and others find none for long, all are given back
// for a while. Else two jobs that each hold what the other lacks would wait for ever.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "service/engine/kubernetes/pod_states.h"

namespace lockstep::service {

class GangPlacing {
 public:
  using Clock = std::chrono::steady_clock;

  // `patience`: how long some may hold places while others have none; 0: for ever. `seed`: jobs that came
  // together do not come back together.
  GangPlacing(std::chrono::seconds patience, std::uint32_t seed) : patience_(patience), seed_(seed) {}

  enum class Step : std::uint8_t { kGoOn, kGiveBack, kStayAway, kMakeAgain };
  Step next(const std::vector<PodState>& pods, Clock::time_point now);

 private:
  std::chrono::milliseconds time_away();

  std::chrono::seconds patience_;
  std::uint32_t seed_;
  std::optional<Clock::time_point> partly_placed_since_;
  std::optional<Clock::time_point> away_until_;
};

// Ranks whose pods have no node yet.
std::vector<int> ranks_without_place(const std::vector<PodState>& pods);

}  // namespace lockstep::service
