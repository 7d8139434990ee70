#include "catalogue/symptom.h"

#include <gtest/gtest.h>

namespace lockstep::catalogue {
namespace {

TEST(Wording, SaysWhatTheLineCaptured) {
  constexpr std::string_view kTitle = "The port[ {port}] is taken[: {joined} of {world}]";
  EXPECT_EQ(worded(kTitle, {{"port", "29500"}, {"joined", "3"}, {"world", "4"}}),
            "The port 29500 is taken: 3 of 4");
  EXPECT_EQ(worded(kTitle, {{"joined", "3"}}), "The port is taken");
  EXPECT_EQ(worded_in_general("Plain"), "Plain");
  EXPECT_EQ(worded("rank {rank} of {world}", {{"rank", "3"}}), "rank 3 of ?");
}

}  // namespace
}  // namespace lockstep::catalogue
