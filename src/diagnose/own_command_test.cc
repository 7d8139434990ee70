#include "diagnose/own_command.h"

#include <gtest/gtest.h>

#include "record/recording.h"

namespace lockstep::diagnose {
namespace {

namespace fs = std::filesystem;

model::Verdict verdict_that_says(const std::string& command) {
  model::Verdict verdict;
  verdict.findings.emplace_back();
  verdict.findings.front().fixes = {{.pattern = {}, .title = "x", .steps = {}, .commands = {command}}};
  verdict.limits = {"to learn more: " + command};
  return verdict;
}

TEST(OwnCommand, IsThatOfTheRecordingWithWhatToCompare) {
  const fs::path folder = fs::path(::testing::TempDir()) / "own_command_recording";
  fs::remove_all(folder);
  ASSERT_TRUE(record::create_recording(
                  folder, {.job = "j",
                           .writer = "lockstep 0.1.0",
                           .command = {"torchrun", "--nproc-per-node", "4", "my train.py", "--note=it's"},
                           .world_size = 4})
                  .ok());
  model::Verdict verdict = verdict_that_says("lockstep isolate -- COMMAND   # yours");
  fill_in_own_command({"-", folder}, verdict);
  const std::string own = "torchrun --nproc-per-node 4 'my train.py' '--note=it'\\''s'";
  EXPECT_EQ(verdict.findings[0].fixes[0].commands[0],
            "lockstep isolate --against=" + folder.string() + " -- " + own + "   # yours");
  EXPECT_EQ(verdict.limits[0],
            "to learn more: lockstep isolate --against=" + folder.string() + " -- " + own + "   # yours");
  verdict.limits = {"logs/COMMAND.txt: an adapter says: COMMAND"};
  fill_in_own_command({folder}, verdict);
  EXPECT_EQ(verdict.limits[0], "logs/COMMAND.txt: an adapter says: COMMAND") << "words of others";
  fs::remove_all(folder);
}

TEST(OwnCommand, IsLeftToTheUserWhereNoRecordingKnowsIt) {
  const model::Verdict before = verdict_that_says("lockstep isolate -- COMMAND");
  model::Verdict verdict = before;
  fill_in_own_command({"-", ::testing::TempDir()}, verdict);
  EXPECT_TRUE(verdict == before);
}

}  // namespace
}  // namespace lockstep::diagnose
