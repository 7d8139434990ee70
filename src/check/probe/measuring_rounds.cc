#include "check/probe/measuring_rounds.h"

namespace lockstep::probe {

// As tournaments are arranged: one stays, the others move on by one place each round. Then the same the other
// way round.
std::vector<MeasuringRound> measuring_rounds(std::size_t hosts) {
  std::vector<MeasuringRound> rounds;
  const std::size_t places = hosts + hosts % 2;  // one that is nobody makes the number even
  for (std::size_t round = 0; round + 1 < places; ++round) {
    MeasuringRound there;
    MeasuringRound back;
    for (std::size_t at = 0; at < places / 2; ++at) {
      const auto moved = [&](std::size_t place) {
        return place == 0 ? 0 : (place + round - 1) % (places - 1) + 1;
      };
      const std::size_t one = moved(at);
      const std::size_t other = moved(places - 1 - at);
      if (one >= hosts || other >= hosts) continue;
      there.emplace_back(one, other);
      back.emplace_back(other, one);
    }
    rounds.push_back(std::move(there));
    rounds.push_back(std::move(back));
  }
  return rounds;
}

}  // namespace lockstep::probe
