#include "check/flows/flow_kinds.h"

#include <iterator>

namespace lockstep::flows {
namespace {

using model::Leaf;

constexpr FlowMeaning kMeanings[] = {
    {"FL1", "the rendezvous store", "every rank connects to the store at MASTER_ADDR", Leaf::kSetupHang,
     "hang.client_timeout", "setup.connect_failed"},
    {"FL2", "torchrun's rendezvous", "every agent connects to the endpoint", Leaf::kSetupHang,
     "hang.client_timeout", "setup.connect_failed"},
    {"FL3", "the store of torchrun's workers", "every rank connects to the node of rank 0", Leaf::kSetupHang,
     "hang.client_timeout", "setup.connect_failed"},
    {"FL4", "NCCL", "every rank reports to the creator of NCCL's id", Leaf::kSetupHang, "hang.nccl_bootstrap",
     "setup.nccl_connect_failed"},
    {"FL5", "NCCL", "the creator of NCCL's id and the ring's neighbours connect", Leaf::kSetupHang,
     "hang.nccl_bootstrap", "setup.nccl_connect_failed"},
    {"FL6", "NCCL", "senders of NCCL connect to receivers", Leaf::kSetupHang, "hang.nccl_bootstrap",
     "setup.nccl_connect_failed"},
    {"FL7", "NCCL over RDMA", "queue pairs reach each other's GID", Leaf::kSetupFail,
     "setup.nccl_system_error", "setup.nccl_system_error"},
    {"FL8", "Gloo", "of each pair of ranks the larger address connects", Leaf::kSetupFail,
     "setup.gloo_connect", "setup.gloo_connect"},
    {"FL9", "horovodrun", "its tasks find the driver and their next task", Leaf::kSetupHang,
     "hang.horovod_start", "setup.horovod_launch"},
    {"FL10", "Horovod's rendezvous", "every rank asks the driver's HTTP store", Leaf::kSetupFail,
     "setup.horovod_store", "setup.horovod_store"},
    {"FL11", "mpirun's daemons", "every daemon calls mpirun back", Leaf::kSetupFail, "setup.mpi_daemons",
     "setup.mpi_daemons"},
    {"FL12", "MPI", "any two ranks may connect", Leaf::kSetupFail, "setup.mpi_tcp", "setup.mpi_tcp"},
    {"FL13", "TensorFlow", "every task connects to every other", Leaf::kSetupFail, "setup.grpc_connect",
     "setup.grpc_connect"},
    {"FL9, FL11, FL14", "the launcher's remote shell", "ssh from the launching host to every other",
     Leaf::kSetupFail, "setup.ssh_connect", "setup.ssh_connect"},
    {"FL15", "Slurm's step", "nodes reach srun's host and each other", Leaf::kSetupFail, "setup.slurm_tasks",
     "setup.slurm_tasks", true},
};

static_assert(std::size(kMeanings) == static_cast<std::size_t>(FlowKind::kSlurmStep) + 1);

}  // namespace

const FlowMeaning& meaning_of(FlowKind kind) {
  return kMeanings[static_cast<std::size_t>(kind)];
}

}  // namespace lockstep::flows
