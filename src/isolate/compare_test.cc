#include "isolate/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::isolate {
namespace {

using model::Finding;
using model::Scope;
using model::Verdict;
using testing::HasSubstr;

Finding finding(const std::string& code, const std::string& line = "") {
  Finding one;
  one.code = code;
  one.title = "title of " + code;
  if (!line.empty()) one.evidence = {{.file = "job.log", .line = 7, .rank = 2, .text = line}};
  return one;
}

Verdict verdict_with(std::vector<Finding> findings) {
  return {.job = {}, .findings = std::move(findings), .limits = {}};
}

ControlRun control_with(int status, std::vector<Finding> findings) {
  ControlRun control;
  control.status = status;
  control.end_in_words = "ended somehow";
  control.log = "control/rank_0.out";
  control.verdict = verdict_with(std::move(findings));
  return control;
}

TEST(Compare, TheSameFaultRemainsAndIsOrdinary) {
  const auto result = compare(control_with(1, {finding("tensor.shape", "in the control run")}),
                              verdict_with({finding("tensor.shape", "in the job")}));
  EXPECT_EQ(result.outcome, Outcome::kRemains);
  const Finding& fault = result.verdict.findings.front();
  EXPECT_EQ(fault.scope, Scope::kOrdinary);
  ASSERT_EQ(fault.evidence.size(), 2U);
  EXPECT_EQ(fault.evidence[0].text, "in the job");
  EXPECT_EQ(fault.evidence[1].text, "in the control run");
}

TEST(Compare, AFaultThatIsGoneIsDistributed) {
  const auto result =
      compare(control_with(0, {}), verdict_with({finding("desync.shape", "x"), finding("b")}));
  EXPECT_EQ(result.outcome, Outcome::kGone);
  EXPECT_EQ(result.verdict.findings.front().scope, Scope::kDistributed);
  EXPECT_EQ(result.verdict.findings.front().evidence.back().file, "control/rank_0.out");
  EXPECT_EQ(result.verdict.findings[1].scope, Scope::kUnknown);
}

TEST(Compare, AnotherFaultProvesNothingAboutTheJobs) {
  const auto result =
      compare(control_with(1, {finding("path.missing")}), verdict_with({finding("desync.shape")}));
  EXPECT_EQ(result.outcome, Outcome::kAnother);
  EXPECT_EQ(result.verdict.findings[0].code, "desync.shape");
  EXPECT_EQ(result.verdict.findings[0].scope, Scope::kUnknown);
  EXPECT_EQ(result.verdict.findings[1].scope, Scope::kUnknown);
  EXPECT_THAT(result.statement, HasSubstr("Inconclusive"));
}

TEST(Compare, AnotherExceptionOfTheScriptIsAnotherFault) {
  const auto raised = [](const std::string& line, std::int64_t place) {
    Finding one = finding("script.exception", line);
    one.places = {{.file = "train.py", .line = place, .function = "main", .ranks = {}}};
    return one;
  };
  const Finding job = raised("[rank2]: ValueError: could not parse sample 4711.jpg", 44);
  const auto outcome = [&](const Finding& alone) {
    return compare(control_with(1, {alone}), verdict_with({job})).outcome;
  };
  EXPECT_EQ(outcome(raised("ValueError: could not parse sample 9.jpg", 44)), Outcome::kRemains);
  EXPECT_EQ(outcome(raised("ValueError: environment variable RANK expected", 7)), Outcome::kAnother);
  EXPECT_EQ(outcome(raised("KeyError: 'RANK'", 44)), Outcome::kAnother);
}

TEST(Compare, TheJobsSecondFindingMayBeTheOneThatRemains) {
  const auto result =
      compare(control_with(1, {finding("b")}), verdict_with({finding("a"), finding("b"), finding("c")}));
  EXPECT_EQ(result.outcome, Outcome::kRemains);
  EXPECT_EQ(result.verdict.findings[0].code, "b");
  EXPECT_EQ(result.verdict.findings[1].code, "a");
  EXPECT_EQ(result.verdict.findings[2].code, "c");
  EXPECT_THAT(result.verdict.limits.back(), HasSubstr("says nothing about 'title of a'"));
}

TEST(Compare, WithoutAJobItSaysWhatItSaw) {
  EXPECT_EQ(compare(control_with(0, {}), std::nullopt).outcome, Outcome::kNoFaultAlone);
  const auto failed = compare(control_with(1, {finding("a")}), std::nullopt);
  EXPECT_EQ(failed.outcome, Outcome::kFaultAlone);
  EXPECT_EQ(failed.verdict.findings.front().scope, Scope::kUnknown) << "nothing to compare with";
}

TEST(Compare, WhatIsNoControlProvesNothing) {
  const Verdict job = verdict_with({finding("a")});
  ControlRun late = control_with(143, {});
  late.timed_out = true;
  EXPECT_THAT(compare(late, job).statement, HasSubstr("--timeout"));
  ControlRun interrupted = control_with(130, {finding("a")});
  interrupted.was_interrupted = true;
  EXPECT_THAT(compare(interrupted, job).statement, HasSubstr("interrupted"));
  ControlRun wide = control_with(0, {});
  wide.verdict.job.world_size = 4;
  EXPECT_THAT(compare(wide, job).statement, HasSubstr("still ran with 4 ranks"));
  EXPECT_THAT(compare(control_with(9, {}), job).statement, HasSubstr("nothing that tells why"));
  EXPECT_THAT(compare(control_with(0, {}), Verdict{}).statement, HasSubstr("nothing wrong was found"));
  for (const ControlRun& run : {late, interrupted, wide}) {
    const auto result = compare(run, job);
    EXPECT_EQ(result.outcome, Outcome::kCannotSay);
    EXPECT_EQ(result.verdict.findings.front().scope, Scope::kUnknown);
    EXPECT_FALSE(result.verdict.limits.empty());
  }
}

TEST(SameFault, ACodeThatTellsLittleNeedsTheSameLine) {
  const std::string line = "ValueError: expected 4 workers, got 1";
  EXPECT_FALSE(is_same_fault(finding("process.failed"), finding("process.failed")));
  EXPECT_TRUE(is_same_fault(finding("process.failed", "[rank2]: " + line), finding("guess", "  " + line)));
  EXPECT_TRUE(is_same_fault(finding("a", "[1,3]<stderr>:" + line), finding("b", "0: " + line)));
  EXPECT_FALSE(is_same_fault(finding("a", "Error: 1"), finding("b", "Error: 2")));
}

TEST(SameFault, NumbersDoNotMakeAnotherFault) {
  EXPECT_EQ(essence_of("[rank12]: shape [4, 16] at 0x7fee01 is bad"), "shape [#, #] at # is bad");
  EXPECT_EQ(essence_of("[W1115 10:00:00.1 x.cpp:3] no prefix"), "[W# #:#:#.# x.cpp:#] no prefix");
}

}  // namespace
}  // namespace lockstep::isolate
