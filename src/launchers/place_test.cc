#include "launchers/place.h"

#include <gtest/gtest.h>

namespace lockstep::launchers {
namespace {

std::optional<JobPlace> place(Words command, const Words& environment = {}) {
  Launch launch{.command = std::move(command), .environment = {}};
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    launch.environment[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return find_place(launch);
}

TEST(JobPlace, AJobOfOneHostHasNone) {
  EXPECT_FALSE(place({"python", "train.py", "--nnodes", "2"}));
  EXPECT_FALSE(place({"torchrun", "--nproc-per-node", "8", "train.py"}));
  EXPECT_FALSE(place({"torchrun", "--standalone", "--nnodes", "2", "train.py"}));
  EXPECT_FALSE(place({"torchrun", "train.py"}, {"RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=a"}))
      << "the launcher is asked before its surroundings";
  EXPECT_FALSE(place({"./train"}, {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1"}));
}

TEST(JobPlace, TorchrunTellsByFlagsInEverySpelling) {
  const auto first = place({"torchrun", "--nnodes", "2", "--node_rank=0", "--master_addr", "node0",
                            "--master_port=29500", "train.py", "--nnodes", "7"});
  const auto second = place({"python", "-m", "torch.distributed.run", "--nnodes=2", "--node-rank", "1",
                             "--master-addr=10.0.0.1", "--master-port", "29500", "-m", "train"});
  ASSERT_TRUE(first && second && first->head && second->head);
  EXPECT_EQ(first->index, 0U);
  EXPECT_EQ(first->count, 2U);
  EXPECT_EQ(first->head->host, "node0");
  EXPECT_EQ(second->index, 1U);
  EXPECT_EQ(first->head->port, second->head->port) << "however the head's host is called";
  const auto other = place({"torchrun", "--nnodes=2", "--master_port=29501", "train.py"});
  EXPECT_NE(other->head->port, first->head->port) << "another job on the same hosts";
}

TEST(JobPlace, TorchrunTakesAFlagsBeginningAsItsParserDoes) {
  const auto found = place(
      {"torchrun", "--nnode", "2", "--node-r=1", "--master_a", "node0", "-r3", "train.py", "--nnodes", "7"});
  ASSERT_TRUE(found && found->head);
  EXPECT_EQ(found->count, 2U);
  EXPECT_EQ(found->index, 1U);
  EXPECT_EQ(found->head->host, "node0");
  EXPECT_TRUE(
      place({"srun", "-N2", "python", "-u", "-m", "torch.distributed.run", "--nnode", "2", "train.py"}));
  EXPECT_FALSE(place({"torchrun", "--no-python", "./train", "--nnodes", "2"})) << "the program's own flag";
}

TEST(JobPlace, AFlagOfANewerLauncherIsPassedOver) {
  EXPECT_EQ(place({"torchrun", "--new-thing", "4", "--nnodes", "2", "train.py"})->count, 2U);
  EXPECT_EQ(place({"torchrun", "--new-thing=4", "--other", "--nnodes=2", "train.py"})->count, 2U);
}

TEST(JobPlace, TorchrunTellsByVariablesToo) {
  const auto found = place({"torchrun", "train.py"}, {"PET_NNODES=1:4", "PET_RDZV_BACKEND=c10d",
                                                      "PET_RDZV_ENDPOINT=node0", "PET_RDZV_ID=7"});
  ASSERT_TRUE(found && found->head);
  EXPECT_EQ(found->count, 4U);
  EXPECT_EQ(found->index, std::nullopt) << "whoever has the address";
  EXPECT_EQ(found->head->host, "node0");
}

TEST(JobPlace, AccelerateTells) {
  const auto found = place({"accelerate", "launch", "--multi_gpu", "--num_machines", "2", "--machine_rank",
                            "1", "--main_process_ip", "node0", "--main_process_port", "29600", "train.py"});
  ASSERT_TRUE(found && found->head);
  EXPECT_EQ(found->index, 1U);
  EXPECT_EQ(found->head->host, "node0");
}

TEST(JobPlace, LaunchersOfRanksTellByVariables) {
  const auto mpi =
      place({"./train"}, {"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4", "PMIX_NAMESPACE=42",
                          "OMPI_MCA_orte_hnp_uri=42.0;tcp://10.0.0.1,10.1.0.1:553;tcp6://[::1]:43"});
  ASSERT_TRUE(mpi && mpi->head);
  EXPECT_EQ(mpi->index, 3U);
  EXPECT_EQ(mpi->head->host, "10.0.0.1");
  const auto far = place({"./train"}, {"PMI_RANK=3", "PMI_SIZE=4", "MPI_LOCALNRANKS=2"});
  ASSERT_TRUE(far);
  EXPECT_FALSE(far->head) << "it does not say where the first rank is";
  EXPECT_TRUE(place({"./train"}, {"PMI_RANK=3", "PMI_SIZE=4", "MPI_LOCALNRANKS=4"})->head);
  const auto slurm = place({"./train"}, {"SLURM_STEP_ID=0", "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2",
                                         "SLURM_JOB_ID=9", "SLURM_STEP_NODELIST=gpu[07-08]"});
  ASSERT_TRUE(slurm && slurm->head);
  EXPECT_EQ(slurm->head->host, "gpu07");
  EXPECT_FALSE(place({"./train"}, {"SLURM_PROCID=0", "SLURM_NTASKS=2"})) << "a batch script";
}

TEST(JobPlace, TfConfigTells) {
  const auto of_task = [](const std::string& cluster, const std::string& task) {
    return place({"python", "train.py"},
                 {"TF_CONFIG={\"cluster\": " + cluster + ", \"task\": " + task + "}"});
  };
  const std::string workers = R"({"worker": ["a:1", "b:2"]})";
  EXPECT_EQ(of_task(workers, R"({"type": "worker", "index": 0})")->index, 0U);
  const auto second = of_task(workers, R"({"type": "worker", "index": 1})");
  ASSERT_TRUE(second && second->head);
  EXPECT_NE(second->index, 0U);
  EXPECT_EQ(second->head->host, "a");
  const std::string chief = R"({"worker": ["b:2"], "chief": ["a:1"]})";
  EXPECT_EQ(of_task(chief, R"({"type": "chief", "index": 0})")->index, 0U);
  EXPECT_NE(of_task(chief, R"({"type": "worker", "index": 0})")->index, 0U);
  EXPECT_FALSE(place({"python"}, {"TF_CONFIG={"}));
  EXPECT_FALSE(place({"python"}, {"TF_CONFIG=[1]"}));
  EXPECT_FALSE(place({"python"}, {R"(TF_CONFIG={"cluster": 3, "task": {"type": 1}})"}));
}

TEST(JobPlace, NodeListsBeginWithTheirFirst) {
  EXPECT_EQ(first_in_node_list("node1"), "node1");
  EXPECT_EQ(first_in_node_list("login,node[1-2]"), "login");
  EXPECT_EQ(first_in_node_list("node[01-04,07],x"), "node01");
  EXPECT_EQ(first_in_node_list("node[7].cluster,x"), "node7.cluster");
  EXPECT_EQ(first_in_node_list("node["), "node");
}

}  // namespace
}  // namespace lockstep::launchers
