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

}  // namespace
}  // namespace lockstep::ranks
