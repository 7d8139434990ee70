#include "service/retention.h"

namespace lockstep::service {

Result<std::vector<std::string>> Retention::due(Store& store, const ServiceClock& clock) {
  if (kept_for_.count() == 0 || clock.now() < next_look_) return std::vector<std::string>();
  std::vector<std::string> names = TRY(store.over_before(clock.wall_ms() - kept_for_.count(), kMaxAtOnce));
  next_look_ = clock.now() + (names.size() == kMaxAtOnce ? kBetweenBatches : kBetweenLooks);
  return names;
}

}  // namespace lockstep::service
