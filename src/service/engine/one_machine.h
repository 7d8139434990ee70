// The machine that the service itself is on.
#pragma once

#include "service/engine/cluster.h"

namespace lockstep::service {

class OneMachine : public Cluster {
 public:
  explicit OneMachine(const Resources& total) : total_(total) {}

  std::vector<FieldFault> choose(Job& job) override;
  bool has_own_queue() const override { return false; }
  Share share_for(const Job& job) override { return {.workers = job.spec.workers_max, .nodes = 1}; }
  Room room_for(const Job&, const Attempt& attempt, const std::vector<std::string>&) override {
    return {.workers = attempt.workers};  // who shares this machine is the service's own matter
  }

 private:
  Resources total_;
};

}  // namespace lockstep::service
