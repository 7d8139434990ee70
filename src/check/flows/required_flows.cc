#include "check/flows/required_flows.h"

#include "check/flows/stacks/stacks.h"
#include "network/choices/torch.h"

namespace lockstep::flows {
namespace {

constexpr std::int64_t kSshPort = 22;

bool is_elastic(const config::Settings& launch) {
  return launch.has("torchrun") && launch.text("torchrun/rdzv_backend") != "static";
}

void plan_horovodrun(const JobHosts& hosts, FlowPlan& plan) {
  const config::Settings& launch = hosts.launch();
  plan_remote_shell(hosts, launch.number("horovod/ssh_port").value_or(kSshPort), plan);
  plan_horovod(hosts, plan);
  if (!launch.has("horovod/mpi")) return;
  plan_mpi_daemons(hosts, plan);
  plan_mpi(hosts, plan);
}

void plan_mpirun(const JobHosts& hosts, FlowPlan& plan) {
  plan_remote_shell(hosts, kSshPort, plan);
  plan_mpi_daemons(hosts, plan);
  plan_mpi(hosts, plan);
}

void plan_torch(const JobHosts& hosts, FlowPlan& plan) {
  const config::Settings& launch = hosts.launch();
  const bool uses_ssh = launch.has("deepspeed") && !launch.has("deepspeed/no_ssh");
  if (uses_ssh) plan_remote_shell(hosts, launch.number("deepspeed/ssh_port").value_or(kSshPort), plan);
  if (launch.has("srun")) plan_slurm(hosts, plan);
  if (is_elastic(launch)) {
    plan_rendezvous(hosts, plan);
  } else {
    plan_store(hosts, plan);
  }
}

}  // namespace

std::optional<FlowKind> Mesh::kind_of(std::size_t source, std::size_t destination) const {
  if (direction == Direction::kLargerConnects &&
      !network::gloo_connects(ends[source].address, ends[destination].address).value_or(true))
    return std::nullopt;
  if (kind != FlowKind::kNcclData) return kind;
  if (destination == creator) return FlowKind::kNcclReport;
  const bool are_neighbours =
      (source + 1) % ends.size() == destination || (destination + 1) % ends.size() == source;
  return source == creator || are_neighbours ? FlowKind::kNcclAnswer : FlowKind::kNcclData;
}

RequiredFlow Mesh::flow(std::size_t source, std::size_t destination) const {
  RequiredFlow made{.kind = kind_of(source, destination).value_or(kind),
                    .source = ends[source].host,
                    .destination = ends[destination].host,
                    .flow = {}};
  made.flow.source = ends[source].bound;
  made.flow.destination = ends[destination].address;
  made.flow.ports = ends[destination].ports;
  return made;
}

FlowPlan plan_flows(std::span<const config::Settings> launches, std::span<const hostinfo::HostFacts> facts) {
  const JobHosts hosts(launches, facts);
  const config::Settings& launch = hosts.launch();
  FlowPlan plan;
  if (launch.has("tf/cluster")) {
    plan_tensorflow(hosts, plan);
    return plan;
  }
  const bool is_horovod = launch.has("horovod");
  const bool is_mpi = !is_horovod && launch.has("mpi");
  if (is_horovod) {
    plan_horovodrun(hosts, plan);
  } else if (is_mpi) {
    plan_mpirun(hosts, plan);
  } else {
    plan_torch(hosts, plan);
  }
  if (hosts.have_gpus()) {
    plan_nccl(hosts, plan);
    plan_rdma(hosts, plan);
  } else if (!is_mpi && !launch.has("horovod/mpi")) {
    plan_gloo(hosts, plan);
  }
  return plan;
}

}  // namespace lockstep::flows
