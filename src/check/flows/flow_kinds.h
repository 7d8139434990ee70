// The flow model: every connection that a stack makes between hosts, by its number.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/leaf.h"

namespace lockstep::flows {

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

}  // namespace lockstep::flows
