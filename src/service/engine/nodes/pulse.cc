#include "service/engine/nodes/pulse.h"

#include "service/engine/heartbeat.h"

namespace lockstep::service {

void Pulse::feel(Clock::time_point now) {
  for (int rank = 0; rank < workers_; ++rank) {
    const auto sign = read_heartbeat(folder_.sign_of_life(rank));
    std::error_code ignored;
    if (!sign || std::filesystem::exists(folder_.rank_end(rank), ignored)) {
      beats_.erase(rank);
      continue;
    }
    Beat& beat = beats_[rank];
    if (beat.last_ms != sign->last_ms) beat = {sign->last_ms, now};
  }
}

std::vector<int> Pulse::silent_for(std::chrono::seconds time, Clock::time_point now) const {
  std::vector<int> found;
  for (const auto& [rank, beat] : beats_) {
    if (now - beat.at > time) found.push_back(rank);
  }
  return found;
}

}  // namespace lockstep::service
