// What a repair may change, one file for each kind: each adds its questions and conditions to the problem.
#pragma once

#include "check/repair/repair_problem.h"
#include "check/repair/trouble.h"

namespace lockstep::repair {

void ask_interfaces(RepairProblem& problem, const Troubles& troubles);  // of Gloo and NCCL, on each host
void ask_mpi_network(RepairProblem& problem, const Troubles& troubles);
void ask_horovod_network(RepairProblem& problem);
void ask_meeting_place(RepairProblem& problem, const Troubles& troubles);  // master address and port
void ask_own_addresses(RepairProblem& problem);                            // of torchrun's nodes
void ask_ranks(RepairProblem& problem);
void ask_names(RepairProblem& problem);      // that the hosts file of a host lacks
void ask_host_list(RepairProblem& problem);  // of mpirun, horovodrun and DeepSpeed
void ask_manifest(RepairProblem& problem);
void ask_tf_config(RepairProblem& problem, const Troubles& troubles);
void ask_settings(RepairProblem& problem);  // that have one right value

// Connections that no question is about.
void require_flows(RepairProblem& problem, const Troubles& troubles);

// One of these firewalls or neither must be opened; none can where there is no way. False: there is none, and
// no other connection need be asked for under the same `unless`.
bool require_flow(RepairProblem& problem, const Troubles& troubles, const flows::RequiredFlow& flow,
                  std::vector<Literal> unless, std::string_view where);

}  // namespace lockstep::repair
