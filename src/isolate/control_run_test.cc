#include "isolate/control_run.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"

namespace lockstep::isolate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ControlRunTest : public ::testing::Test {
 protected:
  ControlRunTest() {
    std::string name = "/tmp/lockstep-control-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~ControlRunTest() override { fs::remove_all(root_); }

  static Control control(const std::string& script, std::vector<Change> changes = {}) {
    Control control;
    control.command = {"/bin/sh", "-c", script};
    control.changes = std::move(changes);
    return control;
  }
  Result<ControlResult> run(const Control& control, std::chrono::seconds timeout = {}) {
    return run_control(control, {{"PATH", "/usr/bin:/bin"}, {"RANK", "7"}},
                       {.folder = folder(),
                        .timeout = timeout,
                        .before_start = [&] { events_ += "start "; },
                        .on_output = [&](std::string_view bytes) { events_ += bytes; }});
  }
  fs::path folder() const { return root_ / "control"; }
  base::Json kept() const {
    return base::parse_json(base::read_file(folder() / "findings.json", 1 << 20).value(), "kept").value();
  }

  fs::path root_;
  std::string events_;
};

TEST_F(ControlRunTest, HandsOnItsOutputAndKeepsItWithTheFindings) {
  const auto result = run(control("echo hello; exit 3"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().status, 3);
  EXPECT_EQ(events_, "start hello\n");
  EXPECT_EQ(base::read_file(folder() / "rank_0.out", 100).value(), "hello\n");
  EXPECT_EQ(kept()["control"]["status"], 3);
  EXPECT_EQ(kept()["schema"], "lockstep-findings-v1");
}

TEST_F(ControlRunTest, WhatOnlyResemblesAFaultIsNoneWhereTheCommandEndedWell) {
  const char* const kUnknownTrouble =
      "printf 'Traceback (most recent call last):\\n  frobnicate the widget\\n'";
  const auto well = run(control(kUnknownTrouble));
  ASSERT_TRUE(well.ok());
  EXPECT_EQ(well.value().comparison.outcome, Outcome::kNoFaultAlone);
  fs::remove_all(folder());
  const auto badly = run(control(std::string(kUnknownTrouble) + "; exit 1"));
  ASSERT_TRUE(badly.ok());
  EXPECT_EQ(badly.value().comparison.outcome, Outcome::kFaultAlone);
}

TEST_F(ControlRunTest, TheEnvironmentIsTheUsersWithTheChanges) {
  const auto result = run(control("echo $RANK-$WORLD_SIZE", {{"RANK", std::nullopt}, {"WORLD_SIZE", "1"}}));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(events_, "start -1\n");
}

TEST_F(ControlRunTest, AtItsTimeLimitItIsEndedAndSaysSo) {
  const auto result = run(control("sleep 60"), std::chrono::seconds(1));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().status, kTimedOut);
  EXPECT_TRUE(result.value().timed_out);
  EXPECT_TRUE(kept()["control"]["timed_out"].get<bool>());
}

TEST_F(ControlRunTest, AFolderThatHoldsAnythingIsLeftAlone) {
  fs::create_directory(folder());
  std::ofstream(folder() / "mine") << "x";
  const auto result = run(control("echo hello"));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().why, HasSubstr("not empty"));
  EXPECT_EQ(events_, "") << "nothing ran";
  EXPECT_TRUE(fs::exists(folder() / "mine"));
}

TEST_F(ControlRunTest, WhatCannotStartLeavesNoFolder) {
  Control impossible;
  impossible.command = {"/nowhere/python"};
  EXPECT_FALSE(run(impossible).ok());
  EXPECT_FALSE(fs::exists(folder()));
}

TEST(EncodeControl, WithoutAResultSaysWhatWouldRun) {
  Control planned;
  planned.launcher = "torchrun";
  planned.command = {"torchrun", "train.py"};
  planned.changes = {{"RANK", std::nullopt}, {"WORLD_SIZE", "1"}};
  const base::Json json = base::parse_json(encode_control(planned, std::nullopt), "control").value();
  EXPECT_EQ(json["control"]["launcher"], "torchrun");
  EXPECT_EQ(json["control"]["environment"]["set"]["WORLD_SIZE"], "1");
  EXPECT_EQ(json["control"]["environment"]["unset"][0], "RANK");
  EXPECT_FALSE(json["control"].contains("status"));
  EXPECT_TRUE(json["findings"].empty());
}

}  // namespace
}  // namespace lockstep::isolate
