#include "attach/running_jobs.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::attach {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Host {
 public:
  void add(int pid, int parent, std::string command, std::string variables = "") {
    std::ranges::replace(command, ' ', '\0');
    std::ranges::replace(variables, ' ', '\0');
    const std::string at = fmt::format("proc/{}/", pid);
    folder_.write(at + "stat",
                  fmt::format("{} (x) S {} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {} 0 0\n", pid, parent, pid));
    folder_.write(at + "cmdline", command + '\0');
    folder_.write(at + "environ", variables + '\0');
  }
  std::vector<RunningJob> jobs(const Selection& selection = {}) {
    return find_jobs(folder_.roots(), selection);
  }

 private:
  process::FolderForTests folder_;
};

std::vector<int> pids_of(const RunningJob& job) {
  std::vector<int> pids;
  for (const RankProcess& rank : job.ranks) pids.push_back(rank.pid);
  return pids;
}

constexpr const char* kJob = "MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 ";

TEST(RunningJobs, RanksOfTorchrunWithoutLoadersAndLauncher) {
  Host host;
  host.add(10, 1, "python /v/bin/torchrun --nproc-per-node 2 train.py");
  host.add(12, 10, "python -u train.py", std::string(kJob) + "RANK=1");
  host.add(11, 10, "python -u train.py", std::string(kJob) + "RANK=0");
  host.add(13, 11, "python -u train.py", std::string(kJob) + "RANK=0");
  const auto jobs = host.jobs();
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_THAT(pids_of(jobs.front()), ElementsAre(11, 12));
  EXPECT_EQ(jobs.front().program, "train.py");
  EXPECT_EQ(jobs.front().world_size, 2);
}

TEST(RunningJobs, TorchrunUnderSrunIsNoRank) {
  Host host;
  host.add(10, 1, "python /v/bin/torchrun train.py", "SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_JOB_ID=7");
  host.add(11, 10, "bash wrap.sh",
           "SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_JOB_ID=7 RANK=0 MASTER_PORT=1 WORLD_SIZE=4");
  host.add(12, 11, "python train.py",
           "SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_JOB_ID=7 RANK=0 MASTER_PORT=1 WORLD_SIZE=4");
  const auto jobs = host.jobs();
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_THAT(pids_of(jobs.front()), ElementsAre(12));
  EXPECT_EQ(jobs.front().world_size, 4);
}

TEST(RunningJobs, MpiSlurmAndTensorFlow) {
  Host host;
  host.add(20, 1, "mpirun -np 2 ./ring");
  host.add(21, 20, "./ring",
           "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=a OMPI_COMM_WORLD_LOCAL_SIZE=2");
  host.add(22, 20, "./ring",
           "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 PMIX_NAMESPACE=a OMPI_COMM_WORLD_LOCAL_SIZE=2");
  host.add(
      31, 1, "python tf.py",
      R"(TF_CONFIG={"cluster":{"chief":["a:1"],"worker":["b:1","c:1"]},"task":{"type":"worker","index":1}})");
  const auto jobs = host.jobs();
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_THAT(pids_of(jobs.front()), ElementsAre(21, 22));
  EXPECT_EQ(jobs.back().ranks.front().rank, 2);
  EXPECT_EQ(jobs.back().world_size, 3);
}

TEST(RunningJobs, TwoJobsOfOneLauncherAreTwo) {
  Host host;
  host.add(11, 1, "python a.py", "RANK=0 WORLD_SIZE=1 MASTER_PORT=1");
  host.add(12, 1, "python b.py", "RANK=0 WORLD_SIZE=1 MASTER_PORT=2");
  EXPECT_THAT(host.jobs(), SizeIs(2));
}

TEST(RunningJobs, ProcessesThatAScriptStartedAreCandidates) {
  Host host;
  host.add(10, 1, "python train.py");
  host.add(11, 10, "python -c from_multiprocessing.spawn_import_spawn_main --multiprocessing-fork");
  host.add(12, 10, "python -c from_multiprocessing.spawn_import_spawn_main --multiprocessing-fork");
  const auto jobs = host.jobs();
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_TRUE(jobs.front().starts_ranks_itself);
  EXPECT_EQ(jobs.front().program, "train.py");
}

TEST(RunningJobs, OrdinaryProgramsAreNoJobs) {
  Host host;
  host.add(10, 1, "bash", "SLURM_PROCID=0 SLURM_JOB_ID=1");
  host.add(11, 10, "vim notes");
  host.add(12, 1, "python server.py");
  host.add(13, 12, "python server.py");
  EXPECT_THAT(host.jobs(), IsEmpty());
}

TEST(RunningJobs, AProcessNamesItsJob) {
  Host host;
  host.add(10, 1, "python /v/bin/torchrun train.py");
  host.add(11, 10, "python train.py", std::string(kJob) + "RANK=0");
  host.add(12, 11, "python train.py", std::string(kJob) + "RANK=0");
  host.add(20, 1, "python other.py", "RANK=0 MASTER_PORT=7");
  for (const int pid : {10, 11, 12}) {
    const auto jobs = host.jobs({.owner = {}, .pid = pid});
    ASSERT_THAT(jobs, SizeIs(1)) << pid;
    EXPECT_THAT(pids_of(jobs.front()), ElementsAre(11)) << pid;
  }
  EXPECT_THAT(host.jobs({.owner = {}, .pid = 99}), IsEmpty());
}

}  // namespace
}  // namespace lockstep::attach
