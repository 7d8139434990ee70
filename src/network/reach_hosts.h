// Hosts whose connections are judged. A firewall is read when it is first asked for; hosts with the same
// rules share one, and of very many different ones only some are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "network/reach.h"

namespace lockstep::network {

class ReachHosts {
 public:
  // The facts must stay where they are.
  explicit ReachHosts(std::span<const hostinfo::HostFacts> facts);

  std::size_t size() const { return facts_.size(); }
  const hostinfo::HostFacts& facts(std::size_t host) const { return facts_[host]; }
  ReachHost at(std::size_t host) const;  // from any thread

  // Hosts of one number have the same firewall.
  std::size_t rule_set_of(std::size_t host) const { return rule_sets_[host]; }
  std::size_t rule_sets() const { return kept_.size(); }

 private:
  struct Kept {
    std::mutex mutex;
    std::shared_ptr<const Firewall> firewall;
    bool is_shared = false;  // by several hosts
  };
  bool may_keep(const Kept& place, const Firewall& firewall) const;

  std::span<const hostinfo::HostFacts> facts_;
  std::vector<std::size_t> rule_sets_;       // by host
  std::vector<std::unique_ptr<Kept>> kept_;  // by rule set
  mutable std::mutex count_mutex_;
  mutable std::size_t instructions_kept_ = 0;
};

}  // namespace lockstep::network
