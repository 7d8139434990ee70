// Which connections a launch needs between which hosts: the flow model of the stacks, from the addresses that
// the libraries would choose there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/launch_config.h"
#include "hostinfo/host_facts.h"
#include "model/finding_code.h"
#include "network/reach.h"

namespace lockstep::flows {

// The flow model: every connection that a stack makes between hosts, by its number.
enum class FlowKind : std::uint8_t {
  kStore,              // FL1   torch env:// and static: every rank -> MASTER_ADDR
  kRendezvous,         // FL2   torchrun c10d: every agent -> endpoint
  kWorkerStore,        // FL3   torchrun workers: every rank -> rank-0 node, free port
  kNcclReport,         // FL4   NCCL: every rank -> creator of the unique id
  kNcclAnswer,         // FL5   NCCL: creator -> every rank, neighbours of the ring
  kNcclData,           // FL6   NCCL's Socket transport
  kRdma,               // FL7   NCCL over InfiniBand or RoCE
  kGloo,               // FL8   larger address -> smaller address
  kHorovodServices,    // FL9   horovodrun: tasks <-> driver, task -> next task
  kHorovodRendezvous,  // FL10  workers -> driver's HTTP store
  kMpiDaemons,         // FL11  daemons -> mpirun
  kMpi,                // FL12  any pair of ranks
  kTensorflow,         // FL13  every task <-> every task
  kRemoteShell,        // FL9, FL11, FL14: launching host -> all, by ssh
  kSlurmStep,          // FL15  srun and PMIx
};

struct FlowMeaning {
  std::string_view ids = {};   // "FL4"
  std::string_view what = {};  // whose connections they are: "NCCL"
  std::string_view does = {};  // one of them in words: "every rank reports to the creator of NCCL's id"
  model::Leaf silent_leaf = model::Leaf::kSetupHang;
  std::string_view silent_code = {};   // where packets are dropped the sender waits ...
  std::string_view refused_code = {};  // ... otherwise it is told at once
  bool is_general_knowledge = false;   // not read in the software's source or manual: a warning
};

const FlowMeaning& meaning_of(FlowKind kind);

struct RequiredFlow {
  FlowKind kind = FlowKind::kStore;
  std::size_t source = 0;  // places among the hosts
  std::size_t destination = 0;
  network::Flow flow;
};

// Every host to every other: thousands of hosts would make too many single flows.
struct Mesh {
  struct End {
    std::size_t host = 0;
    base::Address address = {};               // where the others find it
    network::PortSet ports = {};              // where it listens
    std::optional<base::Address> bound = {};  // from which it connects; empty: its routes choose
  };
  enum class Direction { kBoth, kLargerConnects };

  FlowKind kind = FlowKind::kGloo;
  Direction direction = Direction::kBoth;
  std::size_t creator = 0;  // NCCL: the end that made the id; what leads there or from there has another kind
  std::vector<End> ends = {};

  // Of the connection between two ends; nothing where it is not made.
  std::optional<FlowKind> kind_of(std::size_t source, std::size_t destination) const;
  RequiredFlow flow(std::size_t source, std::size_t destination) const;
};

struct FlowPlan {
  std::vector<RequiredFlow> flows;
  std::vector<Mesh> meshes;
  std::vector<std::string> limits;  // what could not be told: "n3: no interface for NCCL"
};

// Of as many launches as hosts each gives the variables of its host; otherwise the first gives those of all.
FlowPlan plan_flows(std::span<const config::LaunchConfig> launches,
                    std::span<const hostinfo::HostFacts> hosts);
inline FlowPlan plan_flows(const config::LaunchConfig& launch, std::span<const hostinfo::HostFacts> hosts) {
  return plan_flows(std::span(&launch, 1), hosts);
}

}  // namespace lockstep::flows
