#include "readers/ranks_of_names.h"

#include <gtest/gtest.h>

namespace lockstep::readers {
namespace {

using Names = std::vector<std::string>;
constexpr int kNone = -1;

std::vector<int> ranks(const Names& names) {
  std::vector<int> numbers;
  for (const auto& rank : ranks_of_names(names)) numbers.push_back(rank.value_or(kNone));
  return numbers;
}

struct Layout {
  const char* who;  // writes files so
  Names names;
  std::vector<int> ranks;
};

class RanksOfNames : public testing::TestWithParam<Layout> {};

TEST_P(RanksOfNames, KnowsTheLayout) {
  EXPECT_EQ(ranks(GetParam().names), GetParam().ranks) << GetParam().who;
}

const Layout kLayouts[] = {
    {"a script with TF_CONFIG", {"worker-0.log", "worker-1.log", "worker-2.log"}, {0, 1, 2}},
    {"the same, one log kept", {"logs/worker-1.log"}, {1}},
    {"with a chief", {"chief-0.log", "worker-0.log", "worker-1.log"}, {0, 1, 2}},
    {"with a chief without a number", {"chief.log", "worker0.log", "worker1.log"}, {0, 1, 2}},
    {"parameter servers", {"chief-0.log", "worker-0.log", "worker-1.log", "ps-0.log"}, {0, 1, 2, 3}},
    {"parameter servers, none before", {"ps_0.txt", "ps_1.txt", "worker_0.txt"}, {1, 2, 0}},
    {"TFJob",
     {"mnist-chief-0.log", "mnist-worker-0.log", "mnist-worker-1.log", "mnist-ps-0.log"},
     {0, 1, 2, 3}},
    {"PyTorchJob", {"bert-master-0.log", "bert-worker-0.log", "bert-worker-1.log"}, {0, 1, 2}},
    {"kubelet", {"llm-worker-0_ml_pytorch-9f2ab3.log", "llm-worker-1_ml_pytorch-77aa01.log"}, {0, 1}},
    {"kubectl cp", {"llm-worker-0/main.log", "llm-worker-1/main.log"}, {0, 1}},
    {"must-gather", {"job-worker-1/pytorch/current.log", "job-worker-0/pytorch/current.log"}, {1, 0}},
    {"MPIJob", {"job-launcher.log", "job-worker-0.log", "job-worker-1.log"}, {kNone, 0, 1}},
    {"capitals", {"Worker_0.out", "Worker_1.out"}, {0, 1}},
    {"a trainer", {"trainer-0.log", "trainer-1.log"}, {0, 1}},
    {"PaddlePaddle", {"log/workerlog.0", "log/workerlog.1"}, {0, 1}},
    {"a word and a rank", {"log_rank7.txt"}, {7}},
    {"rank folders", {"rank_0/stderr.txt", "rank_1/stderr.txt"}, {0, 1}},
    {"mpirun --output-filename", {"out/1/rank.0/stdout", "out/1/rank.1/stderr"}, {0, 1}},
    {"horovodrun --output-filename", {"logs/rank.0/stdout", "logs/rank.1/stderr"}, {0, 1}},
    {"rank and node", {"node1_rank9.log"}, {9}},
    {"rank of a world", {"train_rank-3-of-8.log"}, {3}},
    {"torchrun --log-dir",
     {"l/none_a1/attempt_0/0/stdout.log", "l/none_a1/attempt_0/1/stdout.log",
      "l/none_a1/attempt_0/0/stderr.log", "l/none_a1/attempt_0/1/stderr.log"},
     {0, 1, 0, 1}},
    {"torchrun, restarted",
     {"l/a/attempt_0/0/stderr.log", "l/a/attempt_0/1/stderr.log", "l/a/attempt_1/0/stderr.log",
      "l/a/attempt_1/1/stderr.log"},
     {0, 1, 0, 1}},
    {"a shell loop", {"out.0", "out.1", "out.2"}, {0, 1, 2}},
    {"out and err", {"out.0", "err.0", "out.1", "err.1"}, {0, 0, 1, 1}},
    {"a number and an ending", {"train.0.log", "train.1.log"}, {0, 1}},
    {"only a number", {"0.log", "1.log", "2.log"}, {0, 1, 2}},
    {"folders of numbers", {"0/stderr", "1/stderr"}, {0, 1}},
    {"srun -o %t", {"slurm-4711-0.out", "slurm-4711-1.out"}, {0, 1}},
    {"srun -o task_%t", {"task_0.err", "task_1.err"}, {0, 1}},
    {"one rank per node", {"node0/stderr", "node1/stderr", "node2/stderr", "node3/stderr"}, {0, 1, 2, 3}},
    {"one rank per host", {"host-0.log", "host-1.log"}, {0, 1}},
    {"one rank per GPU", {"gpu0.log", "gpu1.log"}, {0, 1}},
    {"one process each", {"process_0.txt", "process_1.txt"}, {0, 1}},
    {"pods of a StatefulSet", {"train-0/main.log", "train-1/main.log"}, {0, 1}},
    {"pssh -o", {"10.0.0.1", "10.0.0.2"}, {kNone, kNone}},
    {"nodes from 1: who is rank 0 is not told", {"node1.log", "node2.log"}, {kNone, kNone}},
    {"a gap", {"out.0", "out.2"}, {kNone, kNone}},
    {"one file alone", {"out.0"}, {kNone}},
    {"two hosts count from 0 each",
     {"a/0/stderr.log", "a/1/stderr.log", "b/0/stderr.log", "b/1/stderr.log"},
     {kNone, kNone, kNone, kNone}},
    {"steps", {"step_0.log", "step_1.log"}, {kNone, kNone}},
    {"attempts", {"attempt_0/log.txt", "attempt_1/log.txt"}, {kNone, kNone}},
    {"seeds", {"run_0/train.log", "run_1/train.log"}, {kNone, kNone}},
    {"Slurm jobs", {"slurm-4711.out", "slurm-4712.out"}, {kNone, kNone}},
    {"a date", {"train-20261119.log", "train-20261120.log"}, {kNone, kNone}},
    {"a branch", {"master/train.log"}, {kNone}},
    {"other words", {"coworker-0.log", "maps-0.log"}, {kNone, kNone}},
    {"the whole job's own log beside its ranks", {"launcher.log", "rank0.log", "out.1"}, {kNone, 0, kNone}},
};

INSTANTIATE_TEST_SUITE_P(Layouts, RanksOfNames, testing::ValuesIn(kLayouts));

}  // namespace
}  // namespace lockstep::readers
