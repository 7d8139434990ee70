// The connections of each stack, added to a plan.
#pragma once

#include "check/flows/job_hosts.h"
#include "check/flows/required_flows.h"

namespace lockstep::flows {

void plan_store(const JobHosts& hosts, FlowPlan& plan);        // FL1
void plan_rendezvous(const JobHosts& hosts, FlowPlan& plan);   // FL2 and FL3
void plan_gloo(const JobHosts& hosts, FlowPlan& plan);         // FL8
void plan_nccl(const JobHosts& hosts, FlowPlan& plan);         // FL4 to FL6
void plan_rdma(const JobHosts& hosts, FlowPlan& plan);         // FL7
void plan_horovod(const JobHosts& hosts, FlowPlan& plan);      // FL9 and FL10
void plan_mpi_daemons(const JobHosts& hosts, FlowPlan& plan);  // FL11
void plan_mpi(const JobHosts& hosts, FlowPlan& plan);          // FL12
void plan_tensorflow(const JobHosts& hosts, FlowPlan& plan);   // FL13
// FL9, FL11, FL14: ssh to the names of the host list, as the launching host resolves them.
void plan_remote_shell(const JobHosts& hosts, std::int64_t port, FlowPlan& plan);
void plan_slurm(const JobHosts& hosts, FlowPlan& plan);  // FL15

// From every host but that itself to an address of `destination`.
void plan_star(const JobHosts& hosts, FlowKind kind, std::size_t destination, const base::Address& address,
               const network::PortSet& ports, FlowPlan& plan);

}  // namespace lockstep::flows
