#include "diagnose/ranks/habit.h"

#include <string_view>

#include <gtest/gtest.h>

namespace lockstep::ranks {
namespace {

// One letter, one call.
model::Job job_of(std::initializer_list<std::string_view> ranks) {
  model::Job job;
  for (const std::string_view calls : ranks) {
    model::RankHistory& history = job.ranks.emplace_back();
    for (const char letter : calls)
      history.events.push_back({.collective = static_cast<model::CollectiveId>(letter)});
  }
  return job;
}

std::optional<bool> last_follows(std::string_view calls) {
  return follows_its_habit(job_of({calls}),
                           {.rank = 0, .event = static_cast<std::uint32_t>(calls.size() - 1)});
}

TEST(Habit, IsWhatFollowedBefore) {
  EXPECT_EQ(last_follows("rrrrssssrrrrssssrrrrs"), true);
  EXPECT_EQ(last_follows("rrrrssssrrrrssssrrrrr"), false) << "one receive too many";
}

TEST(Habit, IsNotKnownInTheFirstSteps) {
  EXPECT_EQ(last_follows("abcd"), std::nullopt);
  EXPECT_EQ(last_follows("a"), std::nullopt);
}

TEST(Habit, LooksFurtherBackThanTheLastStep) {
  const std::string step = "abab";
  std::string calls;
  for (int i = 0; i < 5; ++i) calls += step;
  calls += "S";  // every fifth step saves
  for (int i = 0; i < 5; ++i) calls += step;
  EXPECT_EQ(last_follows(calls + "S"), true);
  EXPECT_EQ(last_follows(calls + "a"), false) << "who goes on without it skipped it";
}

TEST(Habit, TellsWhatComesNext) {
  const model::Job job = job_of({"abcdabcdabcdab", "abcdabcdabcdac"});
  EXPECT_TRUE(would_call_next(job, {.rank = 0, .event = 13}, {.rank = 1, .event = 13}))
      << "rank 1 left out b and is one call ahead";
  EXPECT_FALSE(would_call_next(job, {.rank = 1, .event = 13}, {.rank = 0, .event = 13}));
}

}  // namespace
}  // namespace lockstep::ranks
