#include "run/evidence/process_rank.h"

#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::evidence {
namespace {

using namespace std::string_view_literals;

TEST(ProcessRank, IsWhatTheLauncherSaid) {
  const process::FolderForTests folder;
  folder.write("proc/7/environ", "LOCAL_RANK=1\0RANK=5\0WORLD_SIZE=8\0"sv);
  folder.write("proc/8/environ", "PATH=/bin\0OMPI_COMM_WORLD_RANK=3\0"sv);
  folder.write("proc/9/environ", "NODE_RANK=1\0RANK=\0"sv);
  EXPECT_EQ(rank_of_process(folder.roots(), 7), 5);
  EXPECT_EQ(rank_of_process(folder.roots(), 8), 3);
  EXPECT_EQ(rank_of_process(folder.roots(), 9), std::nullopt);
  EXPECT_EQ(rank_of_process(folder.roots(), 10), std::nullopt);
}

}  // namespace
}  // namespace lockstep::evidence
