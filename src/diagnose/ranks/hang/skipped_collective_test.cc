#include "diagnose/ranks/hang/skipped_collective.h"

#include <gtest/gtest.h>

#include "diagnose/ranks/hang/wait_graph.h"
#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using model::CommunicatorId;
using model::EventState;
using testing::JobSketch;

std::vector<Cause> causes_of(const JobSketch& sketch) {
  const std::vector<Wait> waits =
      find_collective_waits(sketch.job, align(sketch.job), PresenceTable(sketch.job));
  return find_causes(sketch.job, waits, std::vector<bool>(waits.size()));
}

// Three tensors, each a channel of its own, issued one after another and then waited for, one step after the
// other. Rank 1 waits in the first one of step 3, the others in step 2.
class ThreeTensors {
 public:
  ThreeTensors() : sketch(3) {
    for (const char* name : {"a", "b", "c"}) tensors_.push_back(sketch.group(name, {0, 1, 2}));
  }

  void issue(int rank, std::size_t tensor, std::uint64_t step, EventState state) {
    sketch.call(rank, {.communicator = tensors_[tensor], .sequence = step, .state = state});
  }
  void complete_step(int rank, std::uint64_t step) {
    for (std::size_t tensor = 0; tensor < 3; ++tensor) issue(rank, tensor, step, EventState::kCompleted);
  }
  void end_step(int rank, std::uint64_t step) {
    model::Event event;
    event.kind = model::EventKind::kActivity;
    event.activity = model::Activity::kStep;
    event.state = EventState::kCompleted;
    event.sequence = step;
    sketch.history(rank).events.push_back(event);
  }

  JobSketch sketch;

 private:
  std::vector<CommunicatorId> tensors_;
};

TEST(SkippedCollective, ARankThatFinishedWhatTheOthersIssuedLaterSkippedTheirs) {
  ThreeTensors job;
  for (int rank = 0; rank < 3; ++rank) job.complete_step(rank, 1);
  for (const int rank : {0, 2}) {
    job.issue(rank, 0, 2, EventState::kCompleted);
    job.issue(rank, 1, 2, EventState::kStarted);
    job.issue(rank, 2, 2, EventState::kUntracked);
  }
  job.issue(1, 0, 2, EventState::kCompleted);
  job.issue(1, 2, 2, EventState::kCompleted);
  job.issue(1, 0, 3, EventState::kStarted);
  const std::vector<Cause> causes = causes_of(job.sketch);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, CauseKind::kMissing);
  EXPECT_EQ(causes[0].roots, std::vector<int>{1});
  EXPECT_EQ(causes[0].victims, (std::vector<int>{0, 2}));
}

TEST(SkippedCollective, ARankThatEndedTheStepSkippedItsLastCall) {
  ThreeTensors job;
  for (int rank = 0; rank < 3; ++rank) {
    job.complete_step(rank, 1);
    job.end_step(rank, 1);
  }
  for (const int rank : {0, 2}) {
    job.issue(rank, 0, 2, EventState::kCompleted);
    job.issue(rank, 1, 2, EventState::kCompleted);
    job.issue(rank, 2, 2, EventState::kStarted);
  }
  job.issue(1, 0, 2, EventState::kCompleted);
  job.issue(1, 1, 2, EventState::kCompleted);
  job.end_step(1, 2);
  job.issue(1, 0, 3, EventState::kStarted);
  const std::vector<Cause> causes = causes_of(job.sketch);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, CauseKind::kMissing);
  EXPECT_EQ(causes[0].roots, std::vector<int>{1});
}

TEST(SkippedCollective, ThoseWhoGoOnDidNotSkipWhatAFewCallForTheFirstTime) {
  ThreeTensors job;
  for (int rank = 0; rank < 3; ++rank) job.complete_step(rank, 1);
  const CommunicatorId metric = job.sketch.group("metric", {0, 1, 2});
  job.sketch.call(0, {.communicator = metric, .sequence = 1, .state = EventState::kStarted});
  for (const int rank : {1, 2}) {
    job.end_step(rank, 1);
    job.issue(rank, 0, 2, EventState::kStarted);
  }
  job.end_step(0, 0);
  const std::vector<Cause> causes = causes_of(job.sketch);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes.front().kind, CauseKind::kExtra);
  EXPECT_EQ(causes.front().roots, std::vector<int>{0});
  EXPECT_EQ(causes.front().victims, (std::vector<int>{1, 2}));
}

TEST(SkippedCollective, AnotherOrderInTheSameStepStaysACircle) {
  ThreeTensors job;
  for (int rank = 0; rank < 3; ++rank) {
    job.complete_step(rank, 1);
    job.end_step(rank, 1);
  }
  for (const int rank : {0, 2}) job.issue(rank, 0, 2, EventState::kStarted);
  job.issue(1, 1, 2, EventState::kStarted);
  const std::vector<Cause> causes = causes_of(job.sketch);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, CauseKind::kCircle);
  EXPECT_EQ(causes[0].roots, std::vector<int>{1});
}

TEST(SkippedCollective, AnUnfinishedLaterCallIsNoProof) {
  ThreeTensors job;
  for (const int rank : {0, 2}) {
    job.issue(rank, 0, 1, EventState::kStarted);
    job.issue(rank, 1, 1, EventState::kIssued);
  }
  job.issue(1, 1, 1, EventState::kStarted);
  const std::vector<Cause> causes = causes_of(job.sketch);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, CauseKind::kCircle);
}

}  // namespace
}  // namespace lockstep::ranks
