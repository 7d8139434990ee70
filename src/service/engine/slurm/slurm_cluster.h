// A cluster that Slurm looks after.
#pragma once

#include <chrono>
#include <vector>

#include "service/engine/cluster.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/slurm/slurm_tools.h"

namespace lockstep::service {

class SlurmCluster : public Cluster {
 public:
  explicit SlurmCluster(SlurmTools tools) : tools_(std::move(tools)) {}

  // Compares with what the partition has: what Slurm would let wait for ever is refused.
  std::vector<FieldFault> choose(Job& job) override;
  bool has_own_queue() const override { return true; }
  // Of the nodes that can work now and are not excluded; an elastic job gets along with fewer of them.
  Share share_for(const Job& job) override;
  Room room_for(const Job& job, const Attempt& attempt, const std::vector<std::string>& own_nodes) override;

  const SlurmTools& tools() const { return tools_; }

 private:
  Result<void> look();

  SlurmTools tools_;
  std::vector<SlurmNode> nodes_;
  NodeReturns returns_;
  std::chrono::steady_clock::time_point known_until_{};
};

}  // namespace lockstep::service
