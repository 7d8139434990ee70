#include "check/flows/required_flows.h"

#include <iterator>

#include "check/flows/stacks/stacks.h"
#include "model/finding_code.h"
#include "network/choices/choice.h"

namespace lockstep::flows {
namespace {

using config::Fields;
using model::Leaf;

constexpr FlowMeaning kMeanings[] = {
    {"FL1", "the rendezvous store", "every rank connects to the store at MASTER_ADDR", Leaf::kSetupHang,
     model::codes::kHangClientTimeout, model::codes::kSetupConnectFailed},
    {"FL2", "torchrun's rendezvous", "every agent connects to the endpoint", Leaf::kSetupHang,
     model::codes::kHangClientTimeout, model::codes::kSetupConnectFailed},
    {"FL3", "the store of torchrun's workers", "every rank connects to the node of rank 0", Leaf::kSetupHang,
     model::codes::kHangClientTimeout, model::codes::kSetupConnectFailed},
    {"FL4", "NCCL", "every rank reports to the creator of NCCL's id", Leaf::kSetupHang,
     model::codes::kHangNcclBootstrap, model::codes::kSetupNcclConnectFailed},
    {"FL5", "NCCL", "the creator of NCCL's id and the ring's neighbours connect", Leaf::kSetupHang,
     model::codes::kHangNcclBootstrap, model::codes::kSetupNcclConnectFailed},
    {"FL6", "NCCL", "senders of NCCL connect to receivers", Leaf::kSetupHang,
     model::codes::kHangNcclBootstrap, model::codes::kSetupNcclConnectFailed},
    {"FL7", "NCCL over RDMA", "queue pairs reach each other's GID", Leaf::kSetupFail,
     model::codes::kSetupNcclSystemError, model::codes::kSetupNcclSystemError},
    {"FL8", "Gloo", "of each pair of ranks the larger address connects", Leaf::kSetupFail,
     model::codes::kSetupGlooConnect, model::codes::kSetupGlooConnect},
    {"FL9", "horovodrun", "its tasks find the driver and their next task", Leaf::kSetupHang,
     model::codes::kHangHorovodStart, model::codes::kSetupHorovodLaunch},
    {"FL10", "Horovod's rendezvous", "every rank asks the driver's HTTP store", Leaf::kSetupFail,
     model::codes::kSetupHorovodStore, model::codes::kSetupHorovodStore},
    {"FL11", "mpirun's daemons", "every daemon calls mpirun back", Leaf::kSetupFail,
     model::codes::kSetupMpiDaemons, model::codes::kSetupMpiDaemons},
    {"FL12", "MPI", "any two ranks may connect", Leaf::kSetupFail, model::codes::kSetupMpiTcp,
     model::codes::kSetupMpiTcp},
    {"FL13", "TensorFlow", "every task connects to every other", Leaf::kSetupFail,
     model::codes::kSetupGrpcConnect, model::codes::kSetupGrpcConnect},
    {"FL9, FL11, FL14", "the launcher's remote shell", "ssh from the launching host to every other",
     Leaf::kSetupFail, model::codes::kSetupSshConnect, model::codes::kSetupSshConnect},
    {"FL15", "Slurm's step", "nodes reach srun's host and each other", Leaf::kSetupFail,
     model::codes::kSetupSlurmTasks, model::codes::kSetupSlurmTasks, true},
};

static_assert(std::size(kMeanings) == static_cast<std::size_t>(FlowKind::kSlurmStep) + 1);

constexpr std::int64_t kSshPort = 22;

void plan_horovodrun(const JobHosts& hosts, FlowPlan& plan) {
  const config::LaunchConfig& launch = hosts.launch();
  plan_remote_shell(hosts, launch.number(Fields::kHorovodSshPort).value_or(kSshPort), plan);
  plan_horovod(hosts, plan);
  if (!launch.has(Fields::kHorovodOverMpi)) return;
  plan_mpi_daemons(hosts, plan);
  plan_mpi(hosts, plan);
}

void plan_mpirun(const JobHosts& hosts, FlowPlan& plan) {
  plan_remote_shell(hosts, kSshPort, plan);
  plan_mpi_daemons(hosts, plan);
  plan_mpi(hosts, plan);
}

void plan_torch(const JobHosts& hosts, FlowPlan& plan) {
  const config::LaunchConfig& launch = hosts.launch();
  const bool uses_ssh = launch.has(Fields::kDeepspeed) && !launch.has(Fields::kDeepspeedWithoutSsh);
  if (uses_ssh) plan_remote_shell(hosts, launch.number(Fields::kDeepspeedSshPort).value_or(kSshPort), plan);
  if (launch.has(Fields::kSrun)) plan_slurm(hosts, plan);
  if (config::is_elastic(launch)) {
    plan_rendezvous(hosts, plan);
  } else {
    plan_store(hosts, plan);
  }
}

}  // namespace

const FlowMeaning& meaning_of(FlowKind kind) {
  return kMeanings[static_cast<std::size_t>(kind)];
}

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

FlowPlan plan_flows(std::span<const config::LaunchConfig> launches,
                    std::span<const hostinfo::HostFacts> facts) {
  const JobHosts hosts(launches, facts);
  const config::LaunchConfig& launch = hosts.launch();
  FlowPlan plan;
  if (launch.has(Fields::kTensorflowCluster)) {
    plan_tensorflow(hosts, plan);
    return plan;
  }
  const bool is_horovod = launch.has(Fields::kHorovod);
  const bool is_mpi = !is_horovod && launch.has(Fields::kMpi);
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
  } else if (!is_mpi && !launch.has(Fields::kHorovodOverMpi)) {
    plan_gloo(hosts, plan);
  }
  return plan;
}

}  // namespace lockstep::flows
