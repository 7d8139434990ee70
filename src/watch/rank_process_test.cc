#include "watch/rank_process.h"

#include <unistd.h>

#include <gtest/gtest.h>

namespace lockstep::watch {
namespace {

TEST(RankProcess, ReadsTheStateBehindAnyName) {
  const auto sample =
      parse_process_stat("4242 (a) S ) name) T 1 4242 4242 0 -1 4194560 1 2 3 4 70 30 0 0 20 0 1 0 100 0 0");
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->state, 'T');
  EXPECT_EQ(sample->cpu_ticks, 100U);
}

TEST(RankProcess, MakesNothingOfTextThatIsNone) {
  EXPECT_FALSE(parse_process_stat(""));
  EXPECT_FALSE(parse_process_stat("4242 (name"));
  EXPECT_FALSE(parse_process_stat("4242 (name) S 1 2"));
}

TEST(RankProcess, KnowsNothingOfAProcessThatDoesNotHaveTheFile) {
  const RankProcess process(::getpid(), "/proc/version");
  EXPECT_FALSE(process.is_here());
  EXPECT_FALSE(process.has_ended());
  EXPECT_FALSE(process.sample());
}

}  // namespace
}  // namespace lockstep::watch
