#include "diagnose/ranks/analyse.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/testing/random_job.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;
using testing::simulate;
using testing::Simulation;

std::vector<model::Finding> faults_in(const model::Job& job) {
  return find_performance_faults(job, align(job));
}

TEST(Performance, IsSilentForHealthyJobsOfMinutes) {
  for (const testing::Noise noise : testing::kAllNoise) {
    if (noise == testing::Noise::kWideLogNormal) continue;  // by turns, half of the time is lost: not healthy
    Simulation simulation;
    simulation.ranks = 16;
    simulation.noise = noise;
    simulation.steps = 120;
    simulation.transfer_ms = 50;
    simulation.phases = testing::grid_phases(16, 4, 3);
    for (testing::Phase& phase : simulation.phases) phase.work_ms *= 100;
    for (const model::Finding& finding : faults_in(simulate(simulation).job)) ADD_FAILURE() << finding.title;
  }
}

TEST(Performance, TellsTheStragglerOnce) {
  Simulation simulation;
  simulation.steps = 400;
  simulation.phases = {{.groups = testing::everyone(8), .work_ms = 1000}};
  simulation.slowness = [](int rank, int) { return rank == 3 ? 2.0 : 1.0; };
  const std::vector<model::Finding> faults = faults_in(simulate(simulation).job);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].code, "straggler.rank");
}

RC_GTEST_PROP(Performance, SurvivesAnyJob, ()) {
  const JobSketch sketch = testing::random_job();
  faults_in(sketch.job);
}

TEST(Performance, SurvivesAnEmptyJob) {
  EXPECT_TRUE(faults_in(model::Job{}).empty());
}

TEST(Figures, AreWrittenForPeople) {
  EXPECT_EQ(percent(0.1234), "12 %");
  EXPECT_EQ(percent(0.0512), "5.1 %");
  EXPECT_EQ(with_commas(7), "7");
  EXPECT_EQ(with_commas(1204), "1,204");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(duration_in_words(999), "999 ns");
  EXPECT_EQ(duration_in_words(1.25e7), "12 ms");
  EXPECT_EQ(duration_in_words(3.5e9), "3.5 s");
}

// What the steps of the analysis decide between findings.

void all_reduce(JobSketch& sketch, int rank, std::uint64_t number, model::EventState state) {
  sketch.call(rank, {.communicator = sketch.world(), .sequence = number, .state = state});
}

// Every rank does a step with a collective; rank 2 of three does no more, the others are stuck in the next.
JobSketch with_an_early_end(bool records_steps) {
  JobSketch sketch(3);
  for (const int rank : {0, 1, 2}) {
    for (std::uint64_t number = 1; number <= (rank == 2 ? 1 : 2); ++number) {
      const auto state = number == 2 ? model::EventState::kStarted : model::EventState::kCompleted;
      model::Event step;
      step.kind = model::EventKind::kActivity;
      step.activity = model::Activity::kStep;
      step.state = state;
      step.sequence = number;
      if (records_steps) sketch.history(rank).events.push_back(step);
      all_reduce(sketch, rank, number, state);
    }
  }
  return sketch;
}

std::vector<std::string> rules_of(const Analysis& analysis) {
  std::vector<std::string> rules;
  for (const model::Decision& decision : analysis.decisions) rules.push_back(decision.rule);
  return rules;
}

TEST(AnalysisDecisions, ARankThatDidItsStepsEndedEarly) {
  const Analysis ended = analyse_with_reasons(with_an_early_end(true).job);
  ASSERT_EQ(ended.findings.size(), 1U);
  EXPECT_EQ(ended.findings.front().code, "desync.ended_early");
  ASSERT_EQ(rules_of(ended), std::vector<std::string>{"ended_early"});
  EXPECT_EQ(ended.decisions.front().other, "desync.missing_rank");

  const Analysis without_steps = analyse_with_reasons(with_an_early_end(false).job);
  ASSERT_EQ(without_steps.findings.size(), 1U);
  EXPECT_EQ(without_steps.findings.front().code, "desync.missing_rank") << "it may be busy elsewhere";
  EXPECT_TRUE(without_steps.decisions.empty());
}

TEST(AnalysisDecisions, ARankThatAWaitNamesIsNotToldAgainAsFailed) {
  JobSketch sketch = with_an_early_end(true);
  sketch.history(2).rank.end = model::RankEnd::kExited;
  sketch.history(2).rank.exit_status = 1;
  const Analysis analysis = analyse_with_reasons(sketch.job);
  EXPECT_EQ(analysis.findings.size(), 1U);
  EXPECT_EQ(rules_of(analysis), std::vector<std::string>{"already_named"});
  EXPECT_EQ(analysis.decisions.front().other, analysis.findings.front().code);
}

TEST(AnalysisDecisions, VersionsThatDifferExplainThatNobodyGotPastSetUp) {
  JobSketch sketch(2);
  sketch.job.world_size = 3;
  for (const int rank : {0, 1}) sketch.history(rank).rank.begun_ns = 0;
  EXPECT_TRUE(analyse_with_reasons(sketch.job).decisions.empty());
  sketch.history(0).rank.framework_version = "2.13";
  sketch.history(1).rank.framework_version = "1.13";
  const Analysis analysis = analyse_with_reasons(sketch.job);
  ASSERT_EQ(analysis.findings.size(), 2U);
  EXPECT_EQ(analysis.findings.front().code, "versions.differ");
  EXPECT_EQ(rules_of(analysis), std::vector<std::string>{"versions_in_setup"});
}

}  // namespace
}  // namespace lockstep::ranks
