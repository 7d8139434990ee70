#include "check/flows/flow_kinds.h"

#include <iterator>

#include "model/finding_code.h"

namespace lockstep::flows {
namespace {

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

}  // namespace

const FlowMeaning& meaning_of(FlowKind kind) {
  return kMeanings[static_cast<std::size_t>(kind)];
}

}  // namespace lockstep::flows
