#include "config/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Texts = std::map<std::string, std::string>;

Configuration read(const std::string& command, const Environment& environment = {}, const Texts& files = {},
                   const Texts& named = {}) {
  Inputs inputs;
  inputs.environment = environment;
  inputs.command = words_of_line(command);
  for (const auto& [name, text] : files) inputs.files.push_back(name);
  inputs.read_file = [&](const std::string& path) -> Result<std::string> {
    if (files.contains(path)) return files.at(path);
    if (named.contains(path)) return named.at(path);
    return Error{"cannot read", path, "no such file", ""};
  };
  return read_configuration(inputs);
}

LaunchConfig launch(const std::string& command, const Environment& environment = {}, const Texts& files = {},
                    const Texts& named = {}) {
  const Configuration configuration = read(command, environment, files, named);
  EXPECT_THAT(configuration.launches, SizeIs(1));
  return configuration.launches.empty() ? LaunchConfig() : configuration.launches.front();
}

// By the paths that rules have, which these tests hold.
std::string text_at(const LaunchConfig& launch, const char* path) {
  const base::Json* const found = launch.view().find(path);
  if (found == nullptr) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}
std::optional<std::int64_t> number_at(const LaunchConfig& launch, const char* path) {
  return whole_number(text_at(launch, path));
}
bool has_at(const LaunchConfig& launch, const char* path) {
  return launch.view().find(path) != nullptr;
}
const Origin* origin_at(const LaunchConfig& launch, const char* path) {
  return launch.view().origin_of(path);
}

// The compiler holds that values are asked for by fields: a text of one's own is refused.
template <typename Name>
concept NamesAValue = requires(const LaunchConfig& launch, const Name& name) {
  launch.get(name);
  launch.has(name);
};
template <typename Name>
concept NamesAnything = requires(const LaunchConfig& launch, const Name& name) {
  launch.has(name);
};
template <typename Name>
concept NamesAText = requires(const LaunchConfig& launch, const Name& name) {
  launch.text(name);
};
static_assert(NamesAValue<Field<std::int64_t>> && NamesAValue<NamedField<std::string>>);
static_assert(!NamesAnything<std::string> && !NamesAnything<std::string_view> && !NamesAnything<const char*>);
static_assert(NamesAText<Field<std::string>> && !NamesAText<Field<std::int64_t>> && !NamesAText<std::string>);
static_assert(!std::is_constructible_v<FieldPath, std::string>);
static_assert(!std::is_constructible_v<Field<std::string>, std::string_view>);
static_assert(!std::is_constructible_v<NamedField<std::string>, std::string>);
static_assert(!std::is_constructible_v<Member<std::string>, std::string_view>);

TEST(Torchrun, FlagsBecomeValuesThatKnowTheFlag) {
  const LaunchConfig job =
      launch("torchrun --nnodes=2 --nproc_per_node 8 --master-addr node0 train.py --lr 1");
  EXPECT_EQ(text_at(job, "torchrun/nnodes"), "2");
  EXPECT_EQ(number_at(job, "job/world_size"), 16);
  EXPECT_EQ(text_at(job, "job/master_addr"), "node0");
  EXPECT_EQ(origin_at(job, "torchrun/nproc_per_node")->how, "flag --nproc_per_node");
  EXPECT_EQ(text_at(job, "job/master_port"), "29500");
  EXPECT_EQ(origin_at(job, "job/master_port")->how, "default of torchrun");
  EXPECT_EQ(text_at(job, "program/script"), "train.py");
}

TEST(Torchrun, VariablesStandForFlagsThatAreNotTyped) {
  const LaunchConfig job = launch("python -m torch.distributed.run --nproc-per-node 2 t.py",
                                  {{"PET_NNODES", "4"}, {"PET_NPROC_PER_NODE", "9"}});
  EXPECT_EQ(number_at(job, "job/nnodes"), 4);
  EXPECT_EQ(origin_at(job, "job/nnodes")->how, "variable PET_NNODES");
  EXPECT_EQ(text_at(job, "torchrun/nproc_per_node"), "2");
}

TEST(Torchrun, ElasticNodesAndEndpoint) {
  const LaunchConfig job =
      launch("torchrun --nnodes 1:4 --rdzv-backend c10d --rdzv-endpoint '[fd00::1]:1234' t.py");
  EXPECT_EQ(number_at(job, "torchrun/min_nodes"), 1);
  EXPECT_EQ(number_at(job, "torchrun/max_nodes"), 4);
  EXPECT_EQ(text_at(job, "torchrun/rdzv_host"), "fd00::1");
  EXPECT_EQ(text_at(job, "job/master_port"), "1234");
}

TEST(Mpirun, HostsParametersAndExportedVariables) {
  const LaunchConfig job =
      launch("mpirun -np 4 -H a:2,b:2 --mca btl_tcp_if_include eth0 -x NCCL_DEBUG=INFO -x PATH python t.py");
  EXPECT_EQ(text_at(job, "mpi/np"), "4");
  EXPECT_EQ(text_at(job, "mpi/mca/btl_tcp_if_include"), "eth0");
  EXPECT_EQ(text_at(job, "env/NCCL_DEBUG"), "INFO");
  EXPECT_EQ(job.count(Fields::kMpiExported), 2U);
  EXPECT_EQ(text_at(job, "host_list/1/name"), "b");
  EXPECT_EQ(number_at(job, "host_list/1/slots"), 2);
  EXPECT_EQ(job.view().find("job/is_multi_host")->get<bool>(), true);
}

TEST(Horovodrun, HostFileWithLines) {
  const LaunchConfig job = launch("horovodrun -np 2 --hostfile hosts python t.py", {}, {},
                                  {{"hosts", "# all of them\na slots=1\n\nb:1\n"}});
  EXPECT_EQ(text_at(job, "host_list/0/name"), "a");
  EXPECT_EQ(number_at(job, "host_list/1/slots"), 1);
  EXPECT_EQ(origin_at(job, "host_list/1/name")->file, "hosts");
  EXPECT_EQ(origin_at(job, "host_list/1/name")->line, 4);
}

TEST(Fields, AreReadWithTheirTypeAndOrigin) {
  const LaunchConfig job = launch("torchrun --nnodes 2 --nproc-per-node gpu t.py", {{"RANK", "3"}});
  EXPECT_EQ(job.get(Fields::kNodes)->value, 2);
  EXPECT_EQ(job.get(Fields::kNodes)->origin.how, "flag --nnodes");
  EXPECT_EQ(job.get(Fields::kTorchrunNodes)->value, "2");
  EXPECT_EQ(job.get(Fields::kIsMultiHost)->value, true);
  EXPECT_EQ(job.get(Fields::variable("RANK"))->origin.how, "variable RANK");
  EXPECT_FALSE(job.get(Fields::kRanksPerNode).has_value());  // "gpu" is no number
  EXPECT_FALSE(job.get(Fields::kMpiRanks).has_value());
}

TEST(Wrappers, VariablesAndLaunchersInsideEachOther) {
  const LaunchConfig job =
      launch("env NCCL_DEBUG=INFO srun -N 2 --ntasks-per-node=1 bash -c 'torchrun --nnodes 2 t.py'");
  EXPECT_EQ(text_at(job, "env/NCCL_DEBUG"), "INFO");
  EXPECT_EQ(text_at(job, "srun/nodes"), "2");
  EXPECT_EQ(text_at(job, "torchrun/nnodes"), "2");
}

TEST(Docker, WhatTheContainerIsGiven) {
  const LaunchConfig job = launch(
      "docker run --rm -it --gpus all --shm-size=2g --ulimit memlock=-1 -e RANK=1 "
      "--network host img:1 torchrun --nproc-per-node 8 t.py");
  EXPECT_EQ(number_at(job, "containers/0/shm_bytes"), std::int64_t{2} << 30);
  EXPECT_EQ(text_at(job, "containers/0/network"), "host");
  EXPECT_EQ(text_at(job, "containers/0/ulimits/memlock"), "-1");
  EXPECT_EQ(text_at(job, "env/RANK"), "1");
  EXPECT_EQ(text_at(job, "torchrun/nproc_per_node"), "8");
}

constexpr const char* kBatchScript = R"(#!/bin/bash
#SBATCH --nodes=2            # two of them
#SBATCH --gres=gpu:h100:8
#SBATCH -t 1:00:00
export NCCL_SOCKET_IFNAME="ib0"
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
PORT=29501
cat <<EOF
torchrun --nnodes 99 not_this.py
EOF
srun torchrun --nnodes $SLURM_NNODES \
  --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint $MASTER_ADDR:$PORT \
  train.py
)";

TEST(BatchScript, RequestVariablesAndTheCommandWithLines) {
  const LaunchConfig job = launch("", {}, {{"train.sbatch", kBatchScript}});
  EXPECT_EQ(number_at(job, "job/gpus_per_node"), 8);
  EXPECT_EQ(number_at(job, "job/nnodes"), 2);
  EXPECT_EQ(origin_at(job, "torchrun/nnodes")->line, 2);
  EXPECT_EQ(origin_at(job, "sbatch/nodes")->line, 2);
  EXPECT_EQ(text_at(job, "env/NCCL_SOCKET_IFNAME"), "ib0");
  EXPECT_FALSE(has_at(job, "env/MASTER_ADDR"));
  EXPECT_THAT(text_at(job, "raw/env/MASTER_ADDR"), HasSubstr("scontrol"));
  EXPECT_FALSE(has_at(job, "job/master_addr"));
}

TEST(ShellScript, EveryLauncherIsALaunchUnderTheSameVariables) {
  const Configuration both =
      read("", {}, {{"two.sh", "export A=1\ntorchrun --master-port 1111 a.py &\ntorchrun b.py\n"}});
  ASSERT_THAT(both.launches, SizeIs(2));
  EXPECT_EQ(text_at(both.launches[0], "torchrun/master_port"), "1111");
  EXPECT_FALSE(has_at(both.launches[1], "torchrun/master_port"));
  EXPECT_EQ(text_at(both.launches[1], "env/A"), "1");
}

TEST(ShellScript, VariablesThatDoubleDoNotGrowWithoutBound) {
  std::string text = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 60; ++i) text += "A=$A$A\n";
  const LaunchConfig job = launch("", {}, {{"a.sh", text + "torchrun $A t.py\n"}});
  EXPECT_LT(text_at(job, "env/A").size() + text_at(job, "raw/env/A").size(), std::size_t{1} << 20);
}

TEST(TfConfig, ClusterAndTask) {
  const LaunchConfig job = launch(
      "python t.py",
      {{"TF_CONFIG", R"({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}})"}});
  EXPECT_EQ(text_at(job, "tf/cluster/worker/1"), "b:1");
  EXPECT_EQ(number_at(job, "tf/task/index"), 1);
  EXPECT_EQ(number_at(job, "job/nnodes"), 2);
  EXPECT_EQ(origin_at(job, "tf/task/index")->how, "TF_CONFIG");
}

TEST(Accelerate, TheCommandLineWinsOverTheFile) {
  const LaunchConfig job =
      launch("accelerate launch --config_file a.yaml --num_processes 4 t.py", {}, {},
             {{"a.yaml", "num_machines: 2\nnum_processes: 16\nmain_process_ip: 10.0.0.1\n"}});
  EXPECT_EQ(number_at(job, "job/world_size"), 4);
  EXPECT_EQ(text_at(job, "job/master_addr"), "10.0.0.1");
  EXPECT_EQ(origin_at(job, "job/master_addr")->line, 3);
}

constexpr const char* kManifest = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: bert
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        metadata:
          labels: {app: bert}
        spec:
          hostNetwork: true
          containers:
            - name: pytorch
              image: img
              command: [torchrun, --nproc-per-node, "8", train.py]
              env:
                - {name: NCCL_DEBUG, value: INFO}
              resources:
                limits: {nvidia.com/gpu: 8}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny}
spec:
  podSelector: {}
  policyTypes: [Ingress]
)";

TEST(Kubernetes, PodsServicesAndWhatPoliciesMean) {
  const LaunchConfig job = launch("", {}, {{"job.yaml", kManifest}});
  EXPECT_EQ(number_at(job, "k8s/pods/0/replicas"), 4);
  EXPECT_EQ(number_at(job, "k8s/pods/0/gpus"), 8);
  EXPECT_EQ(text_at(job, "k8s/pods/0/env/NCCL_DEBUG"), "INFO");
  EXPECT_EQ(origin_at(job, "k8s/pods/0/host_network")->line, 13);
  EXPECT_EQ(job.view().find("k8s/pods/0/ingress_open")->get<bool>(), false);
  EXPECT_EQ(text_at(job, "torchrun/nproc_per_node"), "8");
  EXPECT_EQ(origin_at(job, "torchrun/nproc_per_node")->file, "job.yaml");
  EXPECT_EQ(number_at(job, "job/nnodes"), 4);
}

TEST(Compose, ServicesWithSharedParts) {
  const LaunchConfig job =
      launch("", {},
             {{"compose.yaml",
               "x-base: &base\n  shm_size: 1g\nservices:\n  a:\n    <<: *base\n    image: i\n"
               "    environment: [RANK=0]\n"}});
  EXPECT_EQ(number_at(job, "containers/0/shm_bytes"), std::int64_t{1} << 30);
  EXPECT_EQ(text_at(job, "containers/0/env/RANK"), "0");
}

TEST(Faults, ABrokenFileIsNamedAndTheRestIsRead) {
  const Configuration configuration = read(
      "torchrun --nnodes 2 t.py", {}, {{"bad.yaml", "kind: [\n"}, {"hosts", "a slots=x y z=\nb slots=2\n"}});
  ASSERT_THAT(configuration.launches, SizeIs(1));
  EXPECT_EQ(text_at(configuration.launches[0], "torchrun/nnodes"), "2");
  ASSERT_THAT(configuration.faults, SizeIs(2));
  EXPECT_THAT(configuration.faults[0].file, HasSubstr("bad.yaml:"));
  EXPECT_EQ(configuration.faults[1].file, "hosts");
  EXPECT_EQ(configuration.faults[1].line, 1);
}

TEST(Faults, BrokenJsonIsNamedWithItsLine) {
  const Configuration configuration =
      read("torchrun --nnodes 2 t.py", {}, {{"ds_config.json", "{\"a\": 1,\n \"b\": [\n"}});
  ASSERT_THAT(configuration.faults, SizeIs(1));
  EXPECT_EQ(configuration.faults[0].file, "ds_config.json");
  EXPECT_EQ(configuration.faults[0].line, 3);
  EXPECT_THAT(configuration.faults[0].why, HasSubstr("not valid JSON"));
}

TEST(Faults, AnUnknownFlagOfALauncherIsSaid) {
  const Configuration configuration = read("torchrun --no-such-flag 3 t.py");
  ASSERT_THAT(configuration.faults, SizeIs(1));
  EXPECT_THAT(configuration.faults[0].why, HasSubstr("--no-such-flag"));
}

}  // namespace
}  // namespace lockstep::config
