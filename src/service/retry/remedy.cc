#include "service/retry/remedy.h"

#include <algorithm>

namespace lockstep::service {
namespace {

struct Row {
  std::string_view code;  // or its beginning, with a dot at the end
  Remedy remedy;
};

constexpr Row kRows[] = {
    {"setup.port_in_use", Remedy::kOtherPorts},
    {"setup.grpc_bind", Remedy::kOtherPorts},
    {"setup.store_protocol", Remedy::kOtherPorts},
    {"setup.gloo_interface", Remedy::kOwnNetwork},
    {"setup.gloo_connect", Remedy::kOwnNetwork},
    {"setup.connect_failed", Remedy::kOwnNetwork},
    {"setup.name_resolution", Remedy::kOwnNetwork},
    {"setup.nccl_no_interface", Remedy::kOwnNetwork},
    {"setup.nccl_connect_failed", Remedy::kOwnNetwork},
    {"setup.nccl_socket", Remedy::kOwnNetwork},
    {"setup.horovod_store", Remedy::kOwnNetwork},
    {"setup.grpc_connect", Remedy::kOwnNetwork},
    {"proto.loopback", Remedy::kOwnNetwork},
    {"check.wrong_host", Remedy::kOwnNetwork},
    {"hang.store_barrier", Remedy::kOtherPorts},
    {"hang.rendezvous_timeout", Remedy::kOtherPorts},
    {"hang.store_get", Remedy::kOtherPorts},
    {"segv.bus", Remedy::kSharedSpace},
    {"data.worker_killed", Remedy::kSharedSpace},
    {"setup.nccl_shared_memory", Remedy::kSharedSpace},
    {"mem.oom_killer", Remedy::kMoreMemory},
    {"mem.killed", Remedy::kMoreMemory},
    {"mem.host_alloc", Remedy::kMoreMemory},
    {"mem.host_usage", Remedy::kMoreMemory},
    {"dev.ecc", Remedy::kOtherNodes},
    {"dev.gpu_lost", Remedy::kOtherNodes},
    {"dev.nvlink", Remedy::kOtherNodes},
    {"dev.thermal", Remedy::kOtherNodes},
    {"device.fabric", Remedy::kOtherNodes},
    {"device.init_error", Remedy::kOtherNodes},
    {"comm.ib_error", Remedy::kOtherNodes},
    {"comm.ib_retry", Remedy::kOtherNodes},
    {"comm.link_down", Remedy::kOtherNodes},
    {"hang.kernel_task", Remedy::kOtherNodes},
    {"sched.node_down", Remedy::kOtherNodes},
    {"sched.preempted", Remedy::kAgain},
    {"sched.hangup", Remedy::kAgain},
    {"xid.13", Remedy::kNone},  // the program's own access
    {"xid.31", Remedy::kNone},
    {"xid.", Remedy::kOtherNodes},
    {"process.", Remedy::kUnknown},
    {"wrapper.", Remedy::kUnknown},
    {"teardown.", Remedy::kUnknown},
    {"leaf.", Remedy::kUnknown},
};

}  // namespace

Remedy remedy_for(std::string_view code) {
  const auto row = std::ranges::find_if(kRows, [&](const Row& one) {
    return one.code.ends_with('.') ? code.starts_with(one.code) : code == one.code;
  });
  return row == std::end(kRows) ? Remedy::kNone : row->remedy;
}

}  // namespace lockstep::service
