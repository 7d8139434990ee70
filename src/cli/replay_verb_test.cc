#include "cli/replay_verb.h"

#include <gtest/gtest.h>

#include "cli/parse.h"
#include "cli/verb.h"

namespace lockstep::cli {
namespace {

Result<replay::Request> request(std::vector<std::string> words) {
  words.insert(words.begin(), {"replay", "rec", "--rank", "1"});
  return replay_request_from(std::get<RunVerb>(parse(words, all_verbs()).value()).args);
}

std::string why_not(const std::vector<std::string>& words) {
  const auto made = request(words);
  return made.ok() ? "" : made.error().why;
}

TEST(ReplayRequest, TakesStepsAndImages) {
  const auto made =
      request({"--images", "out", "--from-step", "0", "--to-step", "12", "--fork", "2", "-o", "x"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value().rank, 1);
  EXPECT_EQ(made.value().from_step, 0u);
  EXPECT_EQ(made.value().to_step, 12u);
  EXPECT_EQ(made.value().copies, 2);
  EXPECT_EQ(made.value().images, "out");
}

TEST(ReplayRequest, RefusesWhatIsNoNumber) {
  EXPECT_EQ(why_not({"--from-step=-1"}), "not a step");
  EXPECT_EQ(why_not({"--to-step", "0"}), "not a step");
  EXPECT_EQ(why_not({"--checkpoint-every", "0", "-o", "x"}), "not a number of steps");
  EXPECT_EQ(why_not({"--images", "out", "--from-step", "1", "--fork", "x", "-o", "x"}),
            "not a number of copies");
  EXPECT_EQ(why_not({"--from-step", "5", "--to-step", "5"}), "the replay begins after step 5");
  EXPECT_EQ(why_not({"--images", "y", "--from-step", "5", "--to-step", "4"}),
            "the replay begins after step 5");
  EXPECT_EQ(why_not({"--images", "y", "--from-step", "5", "--to-step", "5"}), "");
}

TEST(ReplayRequest, RefusesWhatContradicts) {
  EXPECT_EQ(why_not({"--checkpoint-every", "5"}), "nobody says where images are kept");
  EXPECT_EQ(why_not({"--checkpoint-every", "5", "-o", "x", "--images", "y", "--from-step", "1"}),
            "a restored process is not frozen again");
  EXPECT_EQ(why_not({"--fork", "2", "-o", "x"}), "that needs an image to begin with");
  EXPECT_EQ(why_not({"--images", "y", "--from-step", "1", "--fork", "2"}),
            "nobody says where the copies' output goes");
  EXPECT_EQ(why_not({"--images", "y", "--from-step", "1", "--", "python", "x.py"}),
            "a restored process runs what it ran");
  EXPECT_EQ(why_not({"--bisect", "step > 1", "--bisect-command", "true"}), "'--bisect-command' asks too");
  EXPECT_EQ(why_not({"--images", "y"}), "nobody says which step to go to");
  EXPECT_EQ(why_not({"--bisect-command", "true", "-o", "x"}), "nothing is kept of partial replays");
  EXPECT_EQ(why_not({"--bisect-command", "true", "-o", "x", "--checkpoint-every", "5"}), "");
}

TEST(ReplayRequest, GoesToTheStepBeforeABreakpoint) {
  const auto made = request({"--images", "y", "--break-at", "12:all_reduce"});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(step_to_restore(made.value()), 11u);
  EXPECT_EQ(step_to_restore(request({"--images", "y", "--to-step", "7"}).value()), 7u);
  EXPECT_FALSE(step_to_restore(request({}).value()));
}

}  // namespace
}  // namespace lockstep::cli
