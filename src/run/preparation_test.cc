#include "run/preparation.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/process/folder_for_tests.h"

namespace lockstep::run {
namespace {

class Preparing : public testing::Test {
 protected:
  std::string program(const std::string& name, const std::string& text) const {
    folder_.write(name, text);
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }
  std::string interpreter(std::vector<std::string> command) const {
    return interpreter_of({.argv = std::move(command), .environment = {"PATH=" + folder_.path().string()}});
  }
  std::string place(const std::string& name) const { return (folder_.path() / name).string(); }

  process::FolderForTests folder_;
};

TEST_F(Preparing, FindsThePythonThatTheCommandNames) {
  program("python3", "#!/bin/sh\n");
  program("mpirun",
          "\x7f"
          "ELF");
  EXPECT_EQ(interpreter({"python3", "t.py"}), place("python3"));
  EXPECT_EQ(interpreter({"mpirun", "-np", "4", "python3", "t.py"}), place("python3"));
  EXPECT_EQ(interpreter({"mpirun", "-np", "4", "./train"}), "");
  EXPECT_EQ(interpreter({"docker", "run", "image", "python3", "t.py"}), "") << "it is another python3";
  for (const char* elsewhere :
       {"podman", "kubectl", "ssh", "enroot", "/usr/bin/singularity", "apptainer", "ray"})
    EXPECT_EQ(interpreter({"mpirun", elsewhere, "python3", "t.py"}), "") << elsewhere;
  EXPECT_EQ(interpreter({"srun", "python3", "t.py"}), place("python3")) << "with the files of this host";
}

TEST_F(Preparing, FindsThePythonThatAProgramIsWrittenFor) {
  const std::string python = program("python3.11", "#!/bin/sh\n");
  program("torchrun", "#!" + python + " -u\nimport torch\n");
  program("by_env", "#!/usr/bin/env python3.11\n");
  program("long_path", "#!/bin/sh\n'''exec' \"" + python + "\" \"$0\" \"$@\"\n' '''\n");
  program("shell", "#!/bin/sh\npython3.11 t.py\n");
  for (const char* name : {"torchrun", "by_env", "long_path"})
    EXPECT_EQ(interpreter({name, "t.py"}), python) << name;
  EXPECT_EQ(interpreter({"shell"}), "");
}

TEST(OneOfSeveral, IsARankThatIsNotTheFirstOfItsHost) {
  EXPECT_FALSE(is_one_of_several({"PATH=/bin"}));
  EXPECT_FALSE(is_one_of_several({"LOCAL_RANK=0", "RANK=4"}));
  EXPECT_TRUE(is_one_of_several({"LOCAL_RANK=1"}));
  EXPECT_TRUE(is_one_of_several({"OMPI_COMM_WORLD_LOCAL_RANK=3"}));
}

}  // namespace
}  // namespace lockstep::run
