// Where jobs can run: this machine, or what another scheduler looks after.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "service/job/job.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {

class Cluster {
 public:
  virtual ~Cluster() = default;

  // Chooses resources, nodes and the place to meet, each with its reason. Faults: it can never run there.
  virtual std::vector<FieldFault> choose(Job& job) = 0;

  // Whether jobs go there at once, since somebody else decides when they start.
  virtual bool has_own_queue() const = 0;

  // How many workers the next attempt of a job gets there, and on how many nodes. With its own queue only.
  struct Share {
    int workers = 0;
    int nodes = 1;
  };
  virtual Share share_for(const Job& job) = 0;

  // How many an attempt of the job would get if it ended and started again now: its own nodes, and what
  // nobody else has. `returned`: nodes that the job left out and that came back since the attempt started.
  struct Room {
    int workers = 0;
    std::vector<std::string> returned = {};
  };
  virtual Room room_for(const Job& job, const Attempt& attempt,
                        const std::vector<std::string>& own_nodes) = 0;
};

// The machine that the service itself is on.

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

// Where the jobs of a service can run, and where those do that do not say.
struct Clusters {
  std::map<EngineKind, std::unique_ptr<Cluster>> by_engine;
  EngineKind usual = EngineKind::kLocal;

  Cluster& of(const Job& job) const { return *by_engine.at(job.engine); }
};

}  // namespace lockstep::service
