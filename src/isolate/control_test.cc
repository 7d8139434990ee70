#include "isolate/control.h"

#include <sstream>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::isolate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Words words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

Result<Control> reduce(const std::string& line, Environment environment = {}) {
  return reduce_to_one_rank({words(line), std::move(environment), 4321});
}

std::string command_of(const std::string& line, Environment environment = {}) {
  const auto control = reduce(line, std::move(environment));
  return control.ok() ? fmt::format("{}", fmt::join(control.value().command, " ")) : control.error().why;
}

std::string refusal_of(const std::string& line, Environment environment = {}) {
  const auto control = reduce(line, std::move(environment));
  return control.ok() ? "" : control.error().where + ": " + control.error().why;
}

const std::string kOneTorchRank =
    "--nnodes=1 --nproc_per_node=1 --node_rank=0 --max_restarts=0 --master_addr=127.0.0.1 --master_port=4321";

TEST(Torchrun, AsksForOneRankOnThisMachine) {
  EXPECT_EQ(command_of("torchrun --nproc_per_node 4 train.py --lr 0.1"),
            "torchrun " + kOneTorchRank + " train.py --lr 0.1");
}

TEST(Torchrun, EveryWayToWriteAFlagIsTheSame) {
  for (const std::string flags :
       {"--nproc-per-node=8", "--nproc_per_node=8", "--nproc-per-node 8", "--nproc 8",
        "--nnodes 2 --node_rank 1 --master_addr head --master_port 29500",
        "--nnodes=1:4 --rdzv_backend=c10d --rdzv-endpoint=head:29400 --rdzv_id=7 --rdzv-conf a=b",
        "--standalone", "--max_restarts 3 --log_dir /l --redirects 3 --tee 3", "-r 3 -t3"}) {
    EXPECT_EQ(command_of("torchrun " + flags + " train.py --nnodes 9"),
              "torchrun " + kOneTorchRank + " train.py --nnodes 9")
        << flags;
  }
}

TEST(Torchrun, KeepsWhatIsNotAboutRanks) {
  EXPECT_EQ(command_of("/opt/bin/torchrun --nproc_per_node 4 --role trainer -m pkg.train -x"),
            "/opt/bin/torchrun " + kOneTorchRank + " --role trainer -m pkg.train -x");
}

TEST(Torchrun, IsFoundBehindPython) {
  for (const std::string head :
       {"python -m torch.distributed.run", "python3.11 -u -X dev -m torch.distributed.launch",
        "/venv/bin/python /venv/bin/torchrun"}) {
    EXPECT_EQ(command_of(head + " --nproc_per_node=2 train.py"), head + " " + kOneTorchRank + " train.py");
  }
}

TEST(Torchrun, VariablesThatStandForDroppedFlagsGo) {
  const auto control = reduce("torchrun train.py", {{"PET_RDZV_ENDPOINT", "head:1"}, {"PET_NNODES", "4"}});
  EXPECT_THAT(control.value().changes, ElementsAre(Change{"PET_RDZV_ENDPOINT", std::nullopt}));
}

TEST(Torchrun, AnUnknownFlagIsNotGuessed) {
  EXPECT_THAT(refusal_of("torchrun --new-thing 4 train.py"),
              HasSubstr("--new-thing: not a flag of torchrun"));
  EXPECT_THAT(refusal_of("torchrun --m 4 train.py"), HasSubstr("not a flag"));  // several begin so
  EXPECT_THAT(refusal_of("torchrun --nproc_per_node"), HasSubstr("value is missing"));
  EXPECT_THAT(refusal_of("torchrun --standalone"), HasSubstr("names no program"));
}

TEST(Horovodrun, RunsOneProcessHere) {
  EXPECT_EQ(
      command_of(
          "horovodrun -np 4 -H a:2,b:2 --network-interfaces eth0 --gloo --output-filename l python t.py"),
      "horovodrun -np 1 -H localhost:1 --gloo python t.py");
  EXPECT_EQ(
      command_of("horovodrun --num-proc=4 --hostfile h --timeline-filename t.json -p 22 python t.py -np 4"),
      "horovodrun -np 1 -H localhost:1 --timeline-filename t.json python t.py -np 4");
  EXPECT_EQ(command_of("horovodrun -np 4 --min-np 2 --max-np 4 --host-discovery-script d.sh python t.py"),
            "horovodrun -np 1 -H localhost:1 python t.py");
}

TEST(Mpirun, OpenMpiLosesHostsAndParameters) {
  EXPECT_EQ(command_of("mpirun -np 4 -H a:2,b:2 --mca btl tcp,self -mca pml ob1 -x NCCL_DEBUG=INFO -x PATH "
                       "--bind-to none --map-by slot --allow-run-as-root python t.py --mca 1"),
            "mpirun -np 1 -x NCCL_DEBUG=INFO -x PATH --allow-run-as-root python t.py --mca 1");
  for (const std::string count : {"-n 4", "--np 4", "-c 4", "--n 4", "-N 2", "--hostfile h -npernode 2"}) {
    EXPECT_EQ(command_of("mpiexec " + count + " ./a.out -n 4"), "mpiexec -np 1 ./a.out -n 4") << count;
  }
}

TEST(Mpirun, MpichTakesPairs) {
  EXPECT_EQ(command_of("mpiexec.hydra -f hosts -ppn 4 -n 8 -genv OMP_NUM_THREADS 1 -iface ib0 -l ./a.out"),
            "mpiexec.hydra -np 1 -genv OMP_NUM_THREADS 1 ./a.out");
}

TEST(Mpirun, VariablesItHandsOnSayOneRankToo) {
  const auto control = reduce("mpirun -np 4 -x MASTER_ADDR=head -x WORLD_SIZE=4 -x LR=1 python t.py");
  EXPECT_EQ(fmt::format("{}", fmt::join(control.value().command, " ")), "mpirun -np 1 -x LR=1 python t.py");
  EXPECT_THAT(control.value().changes,
              ElementsAre(Change{"RANK", "0"}, Change{"WORLD_SIZE", "1"}, Change{"MASTER_ADDR", "127.0.0.1"},
                          Change{"MASTER_PORT", "4321"}));
}

TEST(Mpirun, SeveralProgramsAreRefused) {
  EXPECT_THAT(refusal_of("mpirun -np 1 ./server : -np 4 ./client"), HasSubstr("several programs"));
  EXPECT_THAT(refusal_of("mpirun --app file"), HasSubstr("in a file"));
}

TEST(Srun, StaysInSlurmWithOneTask) {
  EXPECT_EQ(command_of("srun -N2 -n 8 --ntasks-per-node=4 -p gpu --gres=gpu:4 -l python t.py"),
            "srun --nodes=1 --ntasks=1 -p gpu --gres=gpu:4 python t.py");
  EXPECT_EQ(command_of("srun --gpus=8 -w node[1-2] --container-image=i python t.py"),
            "srun --nodes=1 --ntasks=1 --gpus=1 --container-image=i python t.py");
  EXPECT_THAT(refusal_of("srun -n 4 --multi-prog c.conf"), HasSubstr("different program"));
}

TEST(Srun, TheLauncherItStartsIsReducedToo) {
  const auto control = reduce(
      "srun --nodes=2 --ntasks-per-node=1 torchrun --nnodes 2 --nproc_per_node 4 "
      "--rdzv_endpoint head:1 t.py");
  EXPECT_EQ(fmt::format("{}", fmt::join(control.value().command, " ")),
            "srun --nodes=1 --ntasks=1 torchrun " + kOneTorchRank + " t.py");
  EXPECT_EQ(control.value().launcher, "srun and torchrun");
  EXPECT_THAT(control.value().left_out, ElementsAre("--nodes=2", "--ntasks-per-node=1", "--nnodes", "2",
                                                    "--nproc_per_node", "4", "--rdzv_endpoint", "head:1"));
}

TEST(Deepspeed, UsesOneGpuOfThisMachine) {
  EXPECT_EQ(command_of("deepspeed --hostfile h --include a:0,1 --num_nodes 2 --master_port 1 --no_local_rank "
                       "t.py --deepspeed c.json"),
            "deepspeed --hostfile=/dev/null --num_gpus=1 --master_addr=127.0.0.1 --master_port=4321 "
            "--no_local_rank t.py --deepspeed c.json");
}

TEST(Accelerate, StartsOneProcess) {
  EXPECT_EQ(
      command_of("accelerate launch --multi_gpu --num_processes=8 --num-machines 2 --gpu_ids 0,1 "
                 "--mixed_precision bf16 t.py"),
      "accelerate launch --num_processes=1 --num_machines=1 --machine_rank=0 --main_process_ip=127.0.0.1 "
      "--main_process_port=4321 --mixed_precision bf16 t.py");
  EXPECT_THAT(refusal_of("accelerate launch --tpu t.py"), HasSubstr("TPU"));
}

TEST(Plain, TorchVariablesSayOneRank) {
  const auto control = reduce("python train.py", {{"RANK", "3"},
                                                  {"WORLD_SIZE", "4"},
                                                  {"MASTER_ADDR", "head"},
                                                  {"MASTER_PORT", "29500"},
                                                  {"LOCAL_RANK", "3"},
                                                  {"CUDA_VISIBLE_DEVICES", "4,5"},
                                                  {"HOME", "/h"}});
  EXPECT_THAT(control.value().command, ElementsAre("python", "train.py"));
  EXPECT_THAT(control.value().changes,
              ElementsAre(Change{"RANK", "0"}, Change{"WORLD_SIZE", "1"}, Change{"LOCAL_RANK", "0"},
                          Change{"MASTER_ADDR", "127.0.0.1"}, Change{"MASTER_PORT", "4321"},
                          Change{"CUDA_VISIBLE_DEVICES", "4"}));
  EXPECT_THAT(control.value().notes, IsEmpty());
}

TEST(Plain, ATensorFlowClusterBecomesOneWorker) {
  const auto control =
      reduce("python train.py", {{"TF_CONFIG", R"({"cluster":{"chief":["a:1"],"worker":["b:1","c:1"]},)"
                                               R"("task":{"type":"worker","index":1},"rpc_layer":"grpc"})"},
                                 {"CUDA_VISIBLE_DEVICES", "0"}});
  EXPECT_THAT(control.value().changes,
              ElementsAre(Change{"TF_CONFIG", R"({"cluster":{"worker":["127.0.0.1:4321"]},)"
                                              R"("task":{"type":"worker","index":0},"rpc_layer":"grpc"})"}));
}

TEST(Plain, ParameterServersCannotBeOneProcess) {
  EXPECT_THAT(refusal_of("python train.py", {{"TF_CONFIG", R"({"cluster":{"chief":["a:1"],"worker":["b:1"],)"
                                                           R"("ps":["c:1"]}})"}}),
              HasSubstr("TF_CONFIG: the job has parameter servers"));
}

TEST(Plain, ABrokenClusterIsSaidNotGuessed) {
  for (const std::string broken : {"{", "[1]", R"({"cluster": 7})", R"({"cluster": [1]})"}) {
    EXPECT_THAT(refusal_of("python train.py", {{"TF_CONFIG", broken}}), HasSubstr("TF_CONFIG: it")) << broken;
  }
}

TEST(Plain, NothingThatTellsOfRanksIsSaid) {
  EXPECT_THAT(reduce("python train.py").value().notes, ElementsAre(HasSubstr("runs as it is")));
  EXPECT_THAT(reduce("python train.py --world-size 4 --dist-url=tcp://h:1", {{"RANK", "1"}}).value().notes,
              ElementsAre(HasSubstr("'--world-size'"), HasSubstr("'--dist-url=tcp://h:1'")));
}

TEST(Plain, ALauncherThatIsHiddenIsRefused) {
  EXPECT_THAT(refusal_of("bash train.sh"), HasSubstr("inside the script"));
  EXPECT_THAT(refusal_of("./train.sh"), HasSubstr("inside the script"));
  EXPECT_EQ(refusal_of("bash one_rank.sh", {{"RANK", "0"}, {"WORLD_SIZE", "2"}}), "");
  EXPECT_THAT(refusal_of("sbatch train.sbatch"), HasSubstr("somebody else"));
}

TEST(Wrapped, WhatStandsBeforeALauncherStays) {
  EXPECT_EQ(command_of("nice -n 5 torchrun --nproc_per_node 2 t.py"),
            "nice -n 5 torchrun " + kOneTorchRank + " t.py");
  EXPECT_EQ(command_of("uv run --with x torchrun --standalone t.py"),
            "uv run --with x torchrun " + kOneTorchRank + " t.py");
}

TEST(Wrapped, AVariableThatEnvSetsIsReducedAsWell) {
  const auto control = reduce("env RANK=3 WORLD_SIZE=4 LR=1 python t.py", {{"CUDA_VISIBLE_DEVICES", "0"}});
  EXPECT_EQ(fmt::format("{}", fmt::join(control.value().command, " ")), "env LR=1 python t.py");
  EXPECT_THAT(control.value().left_out, ElementsAre("RANK=3", "WORLD_SIZE=4"));
  EXPECT_THAT(control.value().changes,
              ElementsAre(Change{"RANK", "0"}, Change{"WORLD_SIZE", "1"}, Change{"MASTER_ADDR", "127.0.0.1"},
                          Change{"MASTER_PORT", "4321"}));
}

}  // namespace
}  // namespace lockstep::isolate
