// Which nodes of a cluster were away and are back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::service {

class NodeReturns {
 public:
  void see(const std::string& node, bool can_work, std::int64_t now_ms);

  // Of these nodes, those that were seen to come back later than that.
  std::vector<std::string> since(std::int64_t ms, const std::vector<std::string>& nodes) const;

 private:
  struct Seen {
    bool can_work = true;
    std::int64_t back_ms = 0;  // 0: it was never away
  };
  std::map<std::string, Seen> seen_;
};

}  // namespace lockstep::service
