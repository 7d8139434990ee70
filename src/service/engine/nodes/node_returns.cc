#include "service/engine/nodes/node_returns.h"

namespace lockstep::service {

void NodeReturns::see(const std::string& node, bool can_work, std::int64_t now_ms) {
  Seen& seen = seen_[node];
  if (can_work && !seen.can_work) seen.back_ms = now_ms;
  seen.can_work = can_work;
}

std::vector<std::string> NodeReturns::since(std::int64_t ms, const std::vector<std::string>& nodes) const {
  std::vector<std::string> back;
  for (const std::string& node : nodes) {
    const auto found = seen_.find(node);
    if (found != seen_.end() && found->second.can_work && found->second.back_ms > ms) back.push_back(node);
  }
  return back;
}

}  // namespace lockstep::service
