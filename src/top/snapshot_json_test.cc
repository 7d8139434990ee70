#include "top/snapshot_json.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/json.h"
#include "top/testing/snapshots.h"

namespace lockstep::top {
namespace {

using testing::job_that_waits_for;
using testing::missing_rank;

base::Json encoded(const watch::Snapshot& job) {
  return base::parse_json(encode_snapshot(job), "snapshot").value();
}

TEST(SnapshotJson, SaysEverythingThatIsKnown) {
  watch::Snapshot job = job_that_waits_for(1, 2);
  job.command = {"torchrun", "train.py"};
  job.findings = {missing_rank(1)};
  const base::Json json = encoded(job);
  EXPECT_EQ(json["schema"], "lockstep-snapshot-v1");
  EXPECT_EQ(json["job"]["name"], "llama-7b");
  EXPECT_EQ(json["job"]["command"][1], "train.py");
  EXPECT_EQ(json["job"]["world_size"], 2);
  EXPECT_EQ(json["ranks"][0]["state"], "waiting");
  EXPECT_EQ(json["ranks"][0]["waits_for"], base::Json::array({1}));
  EXPECT_EQ(json["ranks"][0]["for_ns"], 3'200'000'000);
  EXPECT_EQ(json["ranks"][1]["state"], "late");
  EXPECT_EQ(json["findings"][0]["code"], "desync.missing_rank");
}

TEST(SnapshotJson, WhatIsNotKnownIsLeftOut) {
  watch::Snapshot job;
  job.ranks.resize(1);
  job.ranks[0].steps_per_second = std::numeric_limits<double>::quiet_NaN();
  job.ranks[0].doing = "\xff";
  const base::Json json = encoded(job);
  for (const char* name : {"steps_per_second", "for_ns", "exit_status", "lateness_ns"}) {
    EXPECT_FALSE(json["ranks"][0].contains(name)) << name;
  }
  EXPECT_EQ(json["ranks"][0]["doing"], "\uFFFD");
  EXPECT_TRUE(json["findings"].empty());
}

}  // namespace
}  // namespace lockstep::top
