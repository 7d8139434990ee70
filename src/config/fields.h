// The values of a launch that the code asks for by name, each with its type: field::kWorldSize is the whole
// number at "job/world_size". Paths of values stand here, in the rules, and nowhere else
// (tests/gates/config_paths_test).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace lockstep::config {

// A value of a launch at a path that is always the same.
template <typename T>
struct Field {
  std::string_view path;

  constexpr operator std::string_view() const { return path; }
  operator std::string() const { return std::string(path); }
};

// The same with a name or a place in a list as part of its path.
template <typename T>
struct NamedField {
  std::string path;

  operator std::string_view() const { return path; }
  operator std::string() const { return path; }
};

// Values that hold others: the flags of a launcher, a list.
struct Group {};

namespace field {

using Text = Field<std::string>;
using Number = Field<std::int64_t>;
using Truth = Field<bool>;
using Section = Field<Group>;

inline constexpr Section kLaunchers{"launchers"};
inline constexpr Section kVariables{"env"};
inline constexpr Section kAtRunTime{"raw"};  // texts that only the running shell could know
inline constexpr Section kContainers{"containers"};
inline constexpr Section kCompose{"compose"};
inline constexpr Section kHostList{"host_list"};
inline constexpr Section kHostfileFaults{"hostfile_faults"};
inline constexpr Section kDeepspeedConfig{"deepspeed_config"};
inline constexpr Section kDeepspeedVariables{"deepspeed_env"};
inline constexpr Section kNcclVariables{"nccl_conf"};

inline constexpr Section kProgram{"program"};
inline constexpr Section kProgramWords{"program/words"};
inline constexpr Text kProgramScript{"program/script"};

// What every launcher means in its own words.
inline constexpr Number kNodes{"job/nnodes"};
inline constexpr Number kRanksPerNode{"job/nproc_per_node"};
inline constexpr Number kTasksPerNode{"job/tasks_per_node"};
inline constexpr Number kGpusPerNode{"job/gpus_per_node"};
inline constexpr Number kWorldSize{"job/world_size"};
inline constexpr Text kMasterAddress{"job/master_addr"};
inline constexpr Number kMasterPort{"job/master_port"};
inline constexpr Truth kIsMultiHost{"job/is_multi_host"};

inline constexpr Section kTorchrun{"torchrun"};
inline constexpr Text kTorchrunNodes{"torchrun/nnodes"};  // "2", "1:4"
inline constexpr Number kTorchrunMinNodes{"torchrun/min_nodes"};
inline constexpr Number kTorchrunMaxNodes{"torchrun/max_nodes"};
inline constexpr Text kTorchrunRanksPerNode{"torchrun/nproc_per_node"};  // "8", "gpu"
inline constexpr Number kTorchrunNodeRank{"torchrun/node_rank"};
inline constexpr Text kTorchrunMasterAddress{"torchrun/master_addr"};
inline constexpr Number kTorchrunMasterPort{"torchrun/master_port"};
inline constexpr Text kTorchrunLocalAddress{"torchrun/local_addr"};
inline constexpr Text kTorchrunStandalone{"torchrun/standalone"};
inline constexpr Text kRendezvousBackend{"torchrun/rdzv_backend"};
inline constexpr Text kRendezvousEndpoint{"torchrun/rdzv_endpoint"};
inline constexpr Text kRendezvousHost{"torchrun/rdzv_host"};
inline constexpr Number kRendezvousPort{"torchrun/rdzv_port"};
inline constexpr Text kRendezvousId{"torchrun/rdzv_id"};

inline constexpr Section kMpi{"mpi"};
inline constexpr Section kMpiParameters{"mpi/mca"};
inline constexpr Section kMpiExported{"mpi/exported"};
inline constexpr Text kMpiHosts{"mpi/hosts"};
inline constexpr Text kMpiHostfile{"mpi/hostfile"};
inline constexpr Number kMpiRanks{"mpi/np"};
inline constexpr Number kMpiRanksPerNode{"mpi/npernode"};

inline constexpr Section kHorovod{"horovod"};
inline constexpr Text kHorovodHosts{"horovod/hosts"};
inline constexpr Text kHorovodHostfile{"horovod/hostfile"};
inline constexpr Number kHorovodRanks{"horovod/np"};
inline constexpr Truth kHorovodOverMpi{"horovod/mpi"};
inline constexpr Number kHorovodSshPort{"horovod/ssh_port"};
inline constexpr Text kHorovodInterfaces{"horovod/network_interfaces"};

inline constexpr Section kDeepspeed{"deepspeed"};
inline constexpr Text kDeepspeedHostfile{"deepspeed/hostfile"};
inline constexpr Number kDeepspeedNodes{"deepspeed/num_nodes"};
inline constexpr Number kDeepspeedGpus{"deepspeed/num_gpus"};
inline constexpr Text kDeepspeedMasterAddress{"deepspeed/master_addr"};
inline constexpr Number kDeepspeedMasterPort{"deepspeed/master_port"};
inline constexpr Truth kDeepspeedWithoutSsh{"deepspeed/no_ssh"};
inline constexpr Number kDeepspeedSshPort{"deepspeed/ssh_port"};

inline constexpr Section kAccelerate{"accelerate"};
inline constexpr Text kAccelerateConfigFile{"accelerate/config_file"};
inline constexpr Text kAccelerateHostfile{"accelerate/deepspeed_hostfile"};
inline constexpr Number kAccelerateMachines{"accelerate/num_machines"};
inline constexpr Number kAccelerateMachineRank{"accelerate/machine_rank"};
inline constexpr Number kAccelerateRanks{"accelerate/num_processes"};
inline constexpr Text kAccelerateMasterAddress{"accelerate/main_process_ip"};
inline constexpr Number kAccelerateMasterPort{"accelerate/main_process_port"};

inline constexpr Section kSrun{"srun"};
inline constexpr Number kSrunNodes{"srun/nodes"};
inline constexpr Number kSrunTasksPerNode{"srun/ntasks_per_node"};
inline constexpr Text kSrunResources{"srun/gres"};
inline constexpr Text kSrunGpusPerNode{"srun/gpus_per_node"};

inline constexpr Section kSbatch{"sbatch"};
inline constexpr Number kSbatchNodes{"sbatch/nodes"};
inline constexpr Number kSbatchTasks{"sbatch/ntasks"};
inline constexpr Number kSbatchTasksPerNode{"sbatch/ntasks_per_node"};
inline constexpr Number kSbatchCpusPerTask{"sbatch/cpus_per_task"};
inline constexpr Text kSbatchResources{"sbatch/gres"};
inline constexpr Text kSbatchGpusPerNode{"sbatch/gpus_per_node"};

inline constexpr Section kTensorflow{"tf"};
inline constexpr Section kTensorflowCluster{"tf/cluster"};
inline constexpr Text kTensorflowTaskType{"tf/task/type"};
inline constexpr Number kTensorflowTaskIndex{"tf/task/index"};
inline constexpr Text kTensorflowFault{"tf/fault"};

inline constexpr Section kKubernetes{"k8s"};
inline constexpr Section kPods{"k8s/pods"};
inline constexpr Section kServices{"k8s/services"};
inline constexpr Section kPolicies{"k8s/policies"};

// A member of a section or of an item of a list.
template <typename T = std::string>
NamedField<T> member(std::string_view group, std::string_view name) {
  return {fmt::format("{}/{}", group, name)};
}
template <typename T = Group>
NamedField<T> item(std::string_view list, std::size_t index) {
  return {fmt::format("{}/{}", list, index)};
}

inline NamedField<std::string> variable(std::string_view name) {
  return member(kVariables, name);
}
inline NamedField<std::string> mpi_parameter(std::string_view name) {
  return member(kMpiParameters, name);
}
inline NamedField<std::string> host_name(std::size_t index) {
  return member(item(kHostList, index), "name");
}
inline NamedField<std::int64_t> host_slots(std::size_t index) {
  return member<std::int64_t>(item(kHostList, index), "slots");
}
// The same value where only the running shell could know it.
inline NamedField<std::string> at_run_time(std::string_view path) {
  return member(kAtRunTime, path);
}

inline bool is_inside(std::string_view path, std::string_view group) {
  return path.size() > group.size() && path.starts_with(group) && path[group.size()] == '/';
}
// "MASTER_ADDR" of the path of a variable; empty: it stands elsewhere.
inline std::string name_inside(std::string_view path, std::string_view group) {
  return is_inside(path, group) ? std::string(path.substr(group.size() + 1)) : std::string();
}

}  // namespace field
}  // namespace lockstep::config
