#include <gtest/gtest.h>

#include "check/repair/launch_value.h"
#include "check/repair/repair.h"

namespace lockstep::repair {
namespace {

TEST(LaunchText, ChangesAVariableWhereItStands) {
  const std::string script = "#!/bin/sh\nexport A=1 GLOO_SOCKET_IFNAME=\"eth 9\" B=2\ntorchrun t.py\n";
  EXPECT_EQ(with_variable(script, 2, "GLOO_SOCKET_IFNAME", "eth0"),
            "#!/bin/sh\nexport A=1 GLOO_SOCKET_IFNAME=eth0 B=2\ntorchrun t.py\n");
  EXPECT_EQ(with_variable(script, 2, "A", std::nullopt),
            "#!/bin/sh\nexport GLOO_SOCKET_IFNAME=\"eth 9\" B=2\ntorchrun t.py\n");
  EXPECT_EQ(with_variable(script, 2, "SOCKET_IFNAME", "x"), std::nullopt);
  EXPECT_EQ(with_variable("export A=1\nrun\n", 1, "A", std::nullopt), "run\n");
}

TEST(LaunchText, ChangesAndAddsFlagsOverJoinedLines) {
  const std::string script = "torchrun --nnodes 2 \\\n  --master-addr localhost \\\n  t.py\n";
  EXPECT_EQ(with_flag(script, 1, "--master-addr", "n0"),
            "torchrun --nnodes 2 \\\n  --master-addr n0 \\\n  t.py\n");
  EXPECT_EQ(with_new_flag(script, 1, "--master-port", "29501"),
            "torchrun --master-port 29501 --nnodes 2 \\\n  --master-addr localhost \\\n  t.py\n");
  EXPECT_EQ(with_flag("mpirun --mca btl tcp --mca btl_tcp_if_include lo ./a\n", 1, "--mca btl_tcp_if_include",
                      "eth0"),
            "mpirun --mca btl tcp --mca btl_tcp_if_include eth0 ./a\n");
  EXPECT_EQ(with_flag("mpirun --mca btl_tcp_if_exclude x ./a\n", 1, "--mca btl_tcp_if_exclude", std::nullopt),
            "mpirun ./a\n");
}

TEST(LaunchText, ChangesWordsOfACommand) {
  config::Words command{"mpirun", "-np", "4", "--mca", "btl_tcp_if_include", "lo", "./a"};
  EXPECT_TRUE(set_flag(command, "--mca btl_tcp_if_include", "eth0"));
  EXPECT_TRUE(set_flag(command, "-np", "2"));
  EXPECT_EQ(command, (config::Words{"mpirun", "-np", "2", "--mca", "btl_tcp_if_include", "eth0", "./a"}));
  EXPECT_TRUE(add_flag(command, "--mca oob_tcp_if_include", "eth0"));
  EXPECT_EQ(command[2], "oob_tcp_if_include");
  EXPECT_FALSE(set_flag(command, "--hosts", "n0"));
}

TEST(LaunchText, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_word("eth0"), "eth0");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's; rm"), "'it'\\''s; rm'");
}

TEST(LineDiff, IsAPatch) {
  EXPECT_EQ(line_diff("a.sh", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a.sh\n+++ a.sh\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(line_diff("a.sh", "same\n", "same\n"), "");
  EXPECT_EQ(line_diff("a.sh", "", "new\n"), "--- a.sh\n+++ a.sh\n@@ -0,0 +1,1 @@\n+new\n");
}

}  // namespace
}  // namespace lockstep::repair
