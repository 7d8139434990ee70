#include "service/engine/plan_check.h"

#include <gtest/gtest.h>

#include "report/findings_json.h"

namespace lockstep::service {
namespace {

model::Verdict checked(const std::vector<std::string>& environment) {
  Plan plan;
  plan.workers = 2;
  plan.framework = Framework::kPyTorch;
  plan.command = {"python3", "train.py"};
  plan.directory = "/nowhere";
  plan.ports = {20'000};
  return report::decode_findings(check_plan(plan, environment), "check").value();
}

TEST(AdmissionCheck, WhatTheServiceSetsItselfIsSound) {
  EXPECT_TRUE(checked({"PATH=/usr/bin"}).findings.empty());
}

TEST(AdmissionCheck, AVariableThatCannotWorkIsFound) {
  const model::Verdict verdict = checked({"PATH=/usr/bin", "NCCL_SOCKET_NTHREADS=32"});
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.job.world_size, 2);
}

TEST(AdmissionCheck, ValuesOfOtherVariablesAreNotRepeated) {
  Plan plan;
  plan.command = {"true"};
  plan.ports = {20'000};
  EXPECT_EQ(check_plan(plan, {"TOKEN=hunter2-hunter2"}).find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::service
