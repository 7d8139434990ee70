#include "diagnose/diagnose.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace lockstep::diagnose {
namespace {

TEST(Diagnose, KeepsWhatEitherKnowsOfTheJob) {
  model::JobSummary from_ranks;
  from_ranks.backend = "nccl";
  from_ranks.ranks_seen = {1, 2};
  model::JobSummary from_logs;
  from_logs.framework = "pytorch";
  from_logs.backend = "gloo";
  from_logs.ranks_seen = {0, 1};
  const model::JobSummary summary = what_either_knows(from_ranks, from_logs);
  EXPECT_EQ(summary.framework, "pytorch");
  EXPECT_EQ(summary.backend, "nccl");
  EXPECT_EQ(summary.ranks_seen, (std::vector<int>{0, 1, 2}));
}

// Nothing to judge is an answer; what cannot be read is a fault that its user must hear of.
TEST(Diagnose, TellsNothingKnownFromWhatCannotBeRead) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "diagnose_nothing_known";
  std::filesystem::create_directories(folder);
  const auto nothing = diagnose_what_was_left({folder}, {});
  ASSERT_TRUE(nothing.ok()) << nothing.error().why;
  EXPECT_FALSE(nothing.value().has_value());
  EXPECT_FALSE(diagnose_watched({folder}, {}).ok())
      << "whoever asks for a verdict is told that there is none";
  std::filesystem::remove_all(folder);
  const auto gone = diagnose_what_was_left({folder}, {});
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().where, folder.string());
}

}  // namespace
}  // namespace lockstep::diagnose
