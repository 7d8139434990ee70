#include "run/watch/rank_process.h"

#include <unistd.h>

#include <gtest/gtest.h>

namespace lockstep::watch {
namespace {

TEST(RankProcess, KnowsNothingOfAProcessThatDoesNotHaveTheFile) {
  const RankProcess process(::getpid(), "/proc/version");
  EXPECT_FALSE(process.is_here());
  EXPECT_FALSE(process.has_ended());
  EXPECT_FALSE(process.sample());
}

}  // namespace
}  // namespace lockstep::watch
