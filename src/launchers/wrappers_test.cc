#include <gtest/gtest.h>

#include "launchers/launcher.h"

namespace lockstep::launchers {
namespace {

TEST(Elsewhere, IsWhereTheFilesAreOthers) {
  for (const char* program :
       {"docker", "podman", "kubectl", "ssh", "enroot", "singularity", "apptainer", "ray"}) {
    EXPECT_TRUE(runs_elsewhere(program)) << program;
    EXPECT_FALSE(runs_on_cluster(program)) << program;
  }
  for (const char* program : {"", " ", "docker podman", "rayon", "python", "torchrun", "env"}) {
    EXPECT_FALSE(runs_elsewhere(program)) << program;
    EXPECT_FALSE(runs_on_cluster(program)) << program;
  }
}

TEST(Elsewhere, IsNotAnotherHostWithTheSameFiles) {
  for (const char* program : {"srun", "sbatch", "salloc"}) {
    EXPECT_TRUE(runs_on_cluster(program)) << program;
    EXPECT_FALSE(runs_elsewhere(program)) << program;
  }
}

}  // namespace
}  // namespace lockstep::launchers
