#include "diagnose/ranks/training_position.h"

#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks {
namespace {

using testing::JobSketch;

void begin(JobSketch& sketch, int rank, model::Activity activity, std::uint64_t number) {
  std::vector<model::Event>& events = sketch.history(rank).events;
  model::Event event;
  event.kind = model::EventKind::kActivity;
  event.activity = activity;
  event.sequence = number;
  event.begin_ns = static_cast<std::int64_t>(events.size() + 1);
  events.push_back(event);
}

void end_last(JobSketch& sketch, int rank) {
  sketch.history(rank).events.back().end_ns = 1000;
}

std::string position(JobSketch& sketch) {
  return training_position_of(sketch.history(0));
}

TEST(TrainingPosition, IsNotSaidWithoutEpochs) {
  JobSketch sketch(1);
  EXPECT_EQ(position(sketch), "");
  begin(sketch, 0, model::Activity::kStep, 5);
  EXPECT_EQ(position(sketch), "");
}

TEST(TrainingPosition, CountsBatchesFromTheFirstOfTheEpoch) {
  JobSketch sketch(1);
  begin(sketch, 0, model::Activity::kEpoch, 1);
  for (std::uint64_t step = 1; step <= 64; ++step) begin(sketch, 0, model::Activity::kStep, step);
  EXPECT_EQ(position(sketch), "in epoch 1, batch 64");
  end_last(sketch, 0);
  EXPECT_EQ(position(sketch), "in epoch 1, behind batch 64");
  begin(sketch, 0, model::Activity::kEpoch, 2);
  EXPECT_EQ(position(sketch), "at the beginning of epoch 2");
  begin(sketch, 0, model::Activity::kStep, 65);
  begin(sketch, 0, model::Activity::kStep, 101);
  EXPECT_EQ(position(sketch), "in epoch 2, batch 37");
}

TEST(TrainingPosition, NumbersThatMakeNoSenseAreNotCounted) {
  JobSketch sketch(1);
  begin(sketch, 0, model::Activity::kEpoch, 3);
  begin(sketch, 0, model::Activity::kStep, 9);
  begin(sketch, 0, model::Activity::kStep, 0);
  EXPECT_EQ(position(sketch), "in epoch 3, batch 1");
  begin(sketch, 0, model::Activity::kStep, 2);
  EXPECT_EQ(position(sketch), "at the beginning of epoch 3");
}

TEST(TrainingPosition, RanksAtOnePlaceAreToldTogether) {
  JobSketch sketch(4);
  for (const int rank : {0, 1, 2}) {
    begin(sketch, rank, model::Activity::kEpoch, 2);
    begin(sketch, rank, model::Activity::kStep, 11);
    if (rank != 1) begin(sketch, rank, model::Activity::kStep, 12);
  }
  EXPECT_EQ(training_positions_in_words(sketch.job, {1, 0, 2, 3, 7}),
            "Rank 1 is in epoch 2, batch 1; ranks 0 and 2 are in epoch 2, batch 2. ");
  EXPECT_EQ(training_positions_in_words(sketch.job, {3}), "");
}

}  // namespace
}  // namespace lockstep::ranks
