#include "replay/extent.h"

#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

record::PayloadCall call(std::uint64_t sequence, std::uint64_t step, bool is_between_steps) {
  record::PayloadCall made;
  made.key = {.communicator = 7, .sequence = sequence};
  made.step = step;
  made.is_between_steps = is_between_steps;
  made.input = record::ContentHash{1};
  return made;
}

// Two calls before the first step, one a step, a barrier between the second and the third.
record::Payload rank_of_four_steps() {
  record::Payload rank;
  rank.calls = {call(1, 0, true), call(2, 0, false), call(3, 1, false),
                call(4, 2, true), call(5, 2, false), call(6, 3, false)};
  for (std::uint64_t step = 1; step <= 4; ++step)
    rank.states.push_back({.step = step, .names = 0, .sums = {}});
  rank.parts = {{.number = 0, .first_step = 0}};
  for (const record::PayloadCall& made : rank.calls) rank.results.emplace(made.key, record::PayloadResult{});
  return rank;
}

TEST(Extent, AReplayThatResumesIsComparedWithTheBeginningAndWhatFollowsTheCheckpoint) {
  const record::Payload rank = from_step(rank_of_four_steps(), 2);
  ASSERT_EQ(rank.calls.size(), 3u);
  EXPECT_EQ(rank.calls[0].key.sequence, 1u);
  EXPECT_FALSE(rank.calls[0].input) << "it begins with other parameters";
  EXPECT_EQ(rank.calls[1].key.sequence, 5u);
  EXPECT_TRUE(rank.calls[1].input);
  EXPECT_EQ(rank.calls[2].key.sequence, 6u);
}

TEST(Extent, TheLastCheckpointOfAnyRankWithinTheWindowCounts) {
  Job job;
  job.ranks = {rank_of_four_steps(), rank_of_four_steps()};
  job.ranks[1].rank = 1;
  EXPECT_FALSE(last_checkpoint(job.ranks[1], job));
  job.ranks[0].checkpoints = {{1, "one"}, {3, "three"}};
  EXPECT_EQ(last_checkpoint(job.ranks[1], job)->path, "three");
  job.ranks[1].parts.push_back({.number = 4, .first_step = 4});
  EXPECT_FALSE(last_checkpoint(job.ranks[1], job)) << "its steps were removed";
}

TEST(Extent, SaysFromWhereAndUpToWhereAndWhy) {
  Job job;
  job.ranks = {rank_of_four_steps()};
  EXPECT_EQ(in_words(extent_of(job.ranks[0], job)), "all of it (4 steps, 6 calls)");
  job.ranks[0].parts.push_back({.number = 2, .first_step = 2});
  EXPECT_EQ(in_words(extent_of(job.ranks[0], job)), "from the end of step 2 up to its end (step 4)");
  job.ranks[0].results.at(job.ranks[0].calls[5].key).is_kept = false;
  job.ranks[0].stopped = record::PayloadStop{.step = 3, .error = 28};
  EXPECT_EQ(in_words(extent_of(job.ranks[0], job)),
            "from the end of step 2 up to the end of step 3: the result of unknown 6 is not in the "
            "recording, since "
            "it could not be written: No space left on device");
}

}  // namespace
}  // namespace lockstep::replay
