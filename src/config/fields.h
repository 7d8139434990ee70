// The values of a launch that the code asks for by name, each with its type: Fields::kWorldSize is the whole
// number at "job/world_size". Fields alone makes a field: a text of one's own names no value, and does not
// compile. Paths stand here and in the rules, and nowhere else (tests/gates/config_paths_test).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep::launchers {
struct Launcher;
}

namespace lockstep::config {

class Fields;

// Types of values that hold others.
struct Group {};   // the flags of a launcher, a pod: has members
struct Listed {};  // a list of groups
using TextMap = std::map<std::string, std::string>;
using TextList = std::vector<std::string>;
struct TaskAddresses {
  std::string job;  // "worker"
  TextList addresses;

  bool operator==(const TaskAddresses&) const = default;
};
using ClusterTasks = std::vector<TaskAddresses>;  // in the order of the text

template <typename T>
class NamedField;

// Any field, whatever its type: what can be there or not, has an origin, is changed by a repair.
class FieldPath {
 public:
  const std::string& text() const { return text_; }  // to print it
  bool operator==(const FieldPath&) const = default;
  auto operator<=>(const FieldPath&) const = default;

  bool is_inside(const FieldPath& group) const;
  // "MASTER_ADDR" of a variable; empty: it stands elsewhere.
  std::string name_inside(const FieldPath& group) const;
  std::string name() const;         // the last part: "master_addr"
  NamedField<Group> group() const;  // that it is a member of

 private:
  template <typename T>
  friend class Field;
  template <typename T>
  friend class NamedField;
  friend class Fields;
  explicit FieldPath(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// A value that every launch has at the same path.
template <typename T>
class Field {
 public:
  constexpr std::string_view text() const { return path_; }
  operator FieldPath() const { return FieldPath(std::string(path_)); }

 private:
  friend class Fields;
  constexpr explicit Field(std::string_view path) : path_(path) {}

  std::string_view path_;
};

// A member that every group of a kind has: Pod::kReplicas.
template <typename T>
class Member {
 public:
  constexpr std::string_view name() const { return name_; }

 private:
  friend class Fields;
  constexpr explicit Member(std::string_view name) : name_(name) {}

  std::string_view name_;
};

// A value with a name or a place in a list as part of its path.
template <typename T>
class NamedField : public FieldPath {
 public:
  // Of a group.
  template <typename M>
  NamedField<M> at(const Member<M>& member) const {
    static_assert(std::is_same_v<T, Group>, "only a group has members");
    return NamedField<M>(text() + "/" + std::string(member.name()));
  }

 private:
  template <typename U>
  friend class NamedField;
  friend class FieldPath;
  friend class Fields;
  explicit NamedField(std::string path) : FieldPath(std::move(path)) {}
};

class Fields {
 public:
  using Text = Field<std::string>;
  using Number = Field<std::int64_t>;
  using Truth = Field<bool>;
  using Section = Field<Group>;
  using Items = Field<Listed>;
  using Texts = Field<TextMap>;
  using List = Field<TextList>;
  using Tasks = Field<ClusterTasks>;

  static constexpr List kLaunchers{"launchers"};
  static constexpr Texts kVariables{"env"};
  static constexpr Section kAtRunTime{"raw"};  // texts that only the running shell could know
  // By the section that it is about: what may hold more of it than is known, as written ("$ARGS").
  static constexpr Section kOpen{"open"};
  static constexpr Section kStart{"start"};
  static constexpr Text kUnreadLauncher{"unread_launcher"};  // one whose flags nobody here has read
  static constexpr Texts kOpenVariables{"raw/env"};
  static constexpr Text kStartFile{"start/file"};  // the script that starts it
  static constexpr Number kStartNumber{"start/number"};
  static constexpr Items kStartAlongside{"start/alongside"};  // numbers of what still runs then
  static constexpr Items kContainers{"containers"};
  static constexpr Section kCompose{"compose"};
  static constexpr Items kHostList{"host_list"};
  static constexpr List kHostfileFaults{"hostfile_faults"};
  static constexpr Section kDeepspeedConfig{"deepspeed_config"};
  static constexpr Texts kDeepspeedVariables{"deepspeed_env"};
  static constexpr Texts kNcclVariables{"nccl_conf"};

  static constexpr Section kProgram{"program"};
  static constexpr List kProgramWords{"program/words"};
  static constexpr Text kProgramScript{"program/script"};

  // What every launcher means in its own words.
  static constexpr Number kNodes{"job/nnodes"};
  static constexpr Number kRanksPerNode{"job/nproc_per_node"};
  static constexpr Number kTasksPerNode{"job/tasks_per_node"};
  static constexpr Number kGpusPerNode{"job/gpus_per_node"};
  static constexpr Number kWorldSize{"job/world_size"};
  static constexpr Text kMasterAddress{"job/master_addr"};
  static constexpr Number kMasterPort{"job/master_port"};
  static constexpr Truth kIsMultiHost{"job/is_multi_host"};

  static constexpr Section kTorchrun{"torchrun"};
  static constexpr Text kTorchrunNodes{"torchrun/nnodes"};  // "2", "1:4"
  static constexpr Number kTorchrunMinNodes{"torchrun/min_nodes"};
  static constexpr Number kTorchrunMaxNodes{"torchrun/max_nodes"};
  static constexpr Text kTorchrunRanksPerNode{"torchrun/nproc_per_node"};  // "8", "gpu"
  static constexpr Number kTorchrunNodeRank{"torchrun/node_rank"};
  static constexpr Text kTorchrunMasterAddress{"torchrun/master_addr"};
  static constexpr Number kTorchrunMasterPort{"torchrun/master_port"};
  static constexpr Text kTorchrunLocalAddress{"torchrun/local_addr"};
  static constexpr Text kTorchrunStandalone{"torchrun/standalone"};
  static constexpr Text kRendezvousBackend{"torchrun/rdzv_backend"};
  static constexpr Text kRendezvousEndpoint{"torchrun/rdzv_endpoint"};
  static constexpr Text kRendezvousHost{"torchrun/rdzv_host"};
  static constexpr Number kRendezvousPort{"torchrun/rdzv_port"};
  static constexpr Text kRendezvousId{"torchrun/rdzv_id"};

  static constexpr Section kMpi{"mpi"};
  static constexpr Texts kMpiParameters{"mpi/mca"};
  static constexpr List kMpiExported{"mpi/exported"};
  static constexpr Text kMpiHosts{"mpi/hosts"};
  static constexpr Text kMpiHostfile{"mpi/hostfile"};
  static constexpr Number kMpiRanks{"mpi/np"};
  static constexpr Number kMpiRanksPerNode{"mpi/npernode"};

  static constexpr Section kHorovod{"horovod"};
  static constexpr Text kHorovodHosts{"horovod/hosts"};
  static constexpr Text kHorovodHostfile{"horovod/hostfile"};
  static constexpr Number kHorovodRanks{"horovod/np"};
  static constexpr Truth kHorovodOverMpi{"horovod/mpi"};
  static constexpr Number kHorovodSshPort{"horovod/ssh_port"};
  static constexpr Text kHorovodInterfaces{"horovod/network_interfaces"};

  static constexpr Section kDeepspeed{"deepspeed"};
  static constexpr Text kDeepspeedHostfile{"deepspeed/hostfile"};
  static constexpr Number kDeepspeedNodes{"deepspeed/num_nodes"};
  static constexpr Number kDeepspeedGpus{"deepspeed/num_gpus"};
  static constexpr Text kDeepspeedMasterAddress{"deepspeed/master_addr"};
  static constexpr Number kDeepspeedMasterPort{"deepspeed/master_port"};
  static constexpr Truth kDeepspeedWithoutSsh{"deepspeed/no_ssh"};
  static constexpr Number kDeepspeedSshPort{"deepspeed/ssh_port"};

  static constexpr Section kAccelerate{"accelerate"};
  static constexpr Text kAccelerateConfigFile{"accelerate/config_file"};
  static constexpr Text kAccelerateHostfile{"accelerate/deepspeed_hostfile"};
  static constexpr Number kAccelerateMachines{"accelerate/num_machines"};
  static constexpr Number kAccelerateMachineRank{"accelerate/machine_rank"};
  static constexpr Number kAccelerateRanks{"accelerate/num_processes"};
  static constexpr Text kAccelerateMasterAddress{"accelerate/main_process_ip"};
  static constexpr Number kAccelerateMasterPort{"accelerate/main_process_port"};

  static constexpr Section kSrun{"srun"};
  static constexpr Number kSrunNodes{"srun/nodes"};
  static constexpr Number kSrunTasks{"srun/ntasks"};
  static constexpr Number kSrunTasksPerNode{"srun/ntasks_per_node"};
  static constexpr Text kSrunResources{"srun/gres"};
  static constexpr Text kSrunGpusPerNode{"srun/gpus_per_node"};

  static constexpr Section kSbatch{"sbatch"};
  static constexpr Number kSbatchNodes{"sbatch/nodes"};
  static constexpr Number kSbatchTasks{"sbatch/ntasks"};
  static constexpr Number kSbatchTasksPerNode{"sbatch/ntasks_per_node"};
  static constexpr Number kSbatchCpusPerTask{"sbatch/cpus_per_task"};
  static constexpr Text kSbatchResources{"sbatch/gres"};
  static constexpr Text kSbatchWrapped{"sbatch/wrap"};  // a command instead of a script
  static constexpr Text kSbatchGpus{"sbatch/gpus"};
  static constexpr Text kSbatchGpusPerNode{"sbatch/gpus_per_node"};

  static constexpr Section kTensorflow{"tf"};
  static constexpr Tasks kTensorflowCluster{"tf/cluster"};
  static constexpr Text kTensorflowTaskType{"tf/task/type"};
  static constexpr Number kTensorflowTaskIndex{"tf/task/index"};
  static constexpr Text kTensorflowFault{"tf/fault"};

  static constexpr Section kKubernetes{"k8s"};
  static constexpr Items kPods{"k8s/pods"};
  static constexpr Number kRankPods{"k8s/rank_pods"};            // that run ranks, where all are counted
  static constexpr Text kMasterIsNoPod{"k8s/master_is_no_pod"};  // named like a pod of the job, and none is
  static constexpr Items kServices{"k8s/services"};
  static constexpr Items kPolicies{"k8s/policies"};

  struct Host {
    static constexpr Member<std::string> kName{"name"};
    static constexpr Member<std::int64_t> kSlots{"slots"};
  };

  // Of docker run or compose.
  struct Container {
    static constexpr Member<std::string> kName{"name"};
    static constexpr Member<std::string> kImage{"image"};
    static constexpr Member<std::string> kHostName{"hostname"};
    static constexpr Member<std::string> kNetwork{"network"};
    static constexpr Member<std::string> kIpc{"ipc"};
    static constexpr Member<std::int64_t> kSharedMemoryBytes{"shm_bytes"};
    static constexpr Member<TextMap> kVariables{"env"};
    static constexpr Member<TextMap> kLimits{"ulimits"};
    static constexpr Member<TextList> kDevices{"device"};
    static constexpr Member<TextList> kCapabilities{"cap_add"};
    static constexpr Member<TextList> kPublished{"publish"};
  };

  struct Pod {
    static constexpr Member<std::string> kKind{"kind"};
    static constexpr Member<std::string> kJob{"job"};
    static constexpr Member<std::string> kRole{"role"};
    static constexpr Member<std::int64_t> kReplicas{"replicas"};
    static constexpr Member<bool> kHostNetwork{"host_network"};
    static constexpr Member<std::string> kDnsPolicy{"dns_policy"};
    static constexpr Member<std::string> kSubdomain{"subdomain"};
    static constexpr Member<TextList> kLabels{"labels"};
    static constexpr Member<TextList> kAnnotations{"annotations"};
    static constexpr Member<bool> kAntiAffinity{"anti_affinity"};
    static constexpr Member<bool> kHasSharedMemory{"has_shm"};
    static constexpr Member<std::int64_t> kSharedMemoryBytes{"shm_bytes"};
    static constexpr Member<std::string> kImage{"image"};
    static constexpr Member<TextMap> kVariables{"env"};
    static constexpr Member<std::int64_t> kGpus{"gpus"};
    static constexpr Member<std::string> kRdma{"rdma"};
    static constexpr Member<bool> kMayLockMemory{"ipc_lock"};
    static constexpr Member<Listed> kHostPorts{"host_ports"};
    static constexpr Member<std::int64_t> kRanks{"nproc_per_node"};
    static constexpr Member<bool> kIngressIsOpen{"ingress_open"};
    static constexpr Member<bool> kEgressIsOpen{"egress_open"};
    static constexpr Member<bool> kNamesAreOpen{"names_open"};  // its policies let it ask for names
    static constexpr Member<TextList> kNames{"names"};          // of the pods, where the kind gives them
    static constexpr Member<bool> kHasHostIpc{"host_ipc"};
    static constexpr Member<bool> kHasGpuRequest{"gpu_request"};  // a key for GPUs, whatever it says
    static constexpr Member<std::string> kMesh{"mesh"};           // changed by a repair, read by nobody
  };

  struct Service {
    static constexpr Member<std::string> kName{"name"};
    static constexpr Member<bool> kIsHeadless{"headless"};
    static constexpr Member<TextList> kSelector{"selector"};
    static constexpr Member<bool> kPublishesUnready{"publishes_unready"};
    static constexpr Member<std::int64_t> kPortCount{"port_count"};
  };

  struct Policy {
    static constexpr Member<std::string> kName{"name"};
    static constexpr Member<TextList> kSelector{"selector"};
    static constexpr Member<bool> kLimitsIngress{"limits_ingress"};
    static constexpr Member<bool> kLimitsEgress{"limits_egress"};
    static constexpr Member<Listed> kIngress{"ingress"};
    static constexpr Member<Listed> kEgress{"egress"};
  };

  // Of a policy, for one direction.
  struct PolicyRule {
    static constexpr Member<bool> kAnyPeer{"any_peer"};
    static constexpr Member<bool> kAnyPort{"any_port"};
    static constexpr Member<bool> kNamesOpen{"names"};  // port 53, or every port
    static constexpr Member<Listed> kPeers{"peers"};    // each the labels that a peer has
  };

  static NamedField<Group> item(const Items& list, std::size_t index) { return item_of(list, index); }
  static NamedField<Group> item(const NamedField<Listed>& list, std::size_t index) {
    return item_of(list, index);
  }
  static NamedField<std::string> item(const List& list, std::size_t index) {
    return named(list, std::to_string(index));
  }
  static NamedField<TextList> peer(const NamedField<Group>& rule, std::size_t index);
  static NamedField<std::string> host_name(std::size_t index) {
    return item(kHostList, index).at(Host::kName);
  }
  static NamedField<std::int64_t> host_slots(std::size_t index) {
    return item(kHostList, index).at(Host::kSlots);
  }

  // What the user's own words name.
  static NamedField<std::string> entry(const Texts& map, std::string_view name) { return named(map, name); }
  static NamedField<std::string> entry(const NamedField<TextMap>& map, std::string_view name) {
    return named(map, name);
  }
  static NamedField<std::string> variable(std::string_view name) { return entry(kVariables, name); }
  static NamedField<std::string> mpi_parameter(std::string_view name) { return entry(kMpiParameters, name); }
  static NamedField<TextList> addresses(std::string_view job) {
    return NamedField<TextList>(under(kTensorflowCluster, job));
  }
  static NamedField<std::string> container_flag(const NamedField<Group>& container, std::string_view name) {
    return named(container, name);
  }
  // Flags by the names that the launcher's table has, as texts.
  static NamedField<Group> section_of(const launchers::Launcher& launcher);
  static NamedField<std::string> flag(const launchers::Launcher& launcher, std::string_view name);

  // Lines of a file of variables that set none.
  static NamedField<TextList> faults_of(const Texts& map) {
    return NamedField<TextList>(std::string(map.text()) + "_faults");
  }
  static NamedField<std::string> open(const FieldPath& section) { return named(kOpen, section.text()); }
  // The same value where only the running shell could know it.
  static NamedField<std::string> at_run_time(const FieldPath& field) {
    return named(kAtRunTime, field.text());
  }

 private:
  static std::string under(const FieldPath& group, std::string_view name) {
    return group.text() + "/" + std::string(name);
  }
  static NamedField<std::string> named(const FieldPath& group, std::string_view name) {
    return NamedField<std::string>(under(group, name));
  }
  static NamedField<Group> item_of(const FieldPath& list, std::size_t index) {
    return NamedField<Group>(under(list, std::to_string(index)));
  }
};

}  // namespace lockstep::config
