#include "replay/checkpoint/criu.h"

#include <gtest/gtest.h>

namespace lockstep::checkpoint {
namespace {

TEST(CriuLog, SaysTheFirstErrorThatCounts) {
  EXPECT_EQ(error_in("(00.06) Error (criu/util.c:1533): rlimit: Can't setup RLIMIT_NOFILE for self\n"
                     "(00.07) Dumping task\n"
                     "(00.15) Error (criu/sk-inet.c:191): inet: Connected TCP socket, consider using option\n"
                     "(00.16) Error (criu/cr-dump.c:2111): Dumping FAILED.\n"),
            "inet: Connected TCP socket, consider using option");
  EXPECT_EQ(error_in("(00.31) Dumping finished successfully\n"), "");
}

}  // namespace
}  // namespace lockstep::checkpoint
