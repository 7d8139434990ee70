#include "service/engine/rank_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

using testing::Contains;
using testing::Not;
using testing::StartsWith;

Plan plan(Framework framework, std::vector<int> ports) {
  Plan made;
  made.workers = 2;
  made.framework = framework;
  made.ports = std::move(ports);
  return made;
}

TEST(RankEnvironment, PyTorchMeetsAtTheFirstPort) {
  const auto environment = with_rank({"HOME=/h", "RANK=7"}, plan(Framework::kPyTorch, {4001}), 1);
  EXPECT_THAT(environment, Contains("RANK=1"));
  EXPECT_THAT(environment, Not(Contains("RANK=7")));
  EXPECT_THAT(environment, Contains("WORLD_SIZE=2"));
  EXPECT_THAT(environment, Contains("MASTER_PORT=4001"));
  EXPECT_THAT(environment, Contains("HOME=/h"));
}

TEST(RankEnvironment, TensorFlowKnowsTheWholeCluster) {
  const auto environment = with_rank({}, plan(Framework::kTensorFlow, {4001, 4002}), 1);
  EXPECT_THAT(environment,
              Contains("TF_CONFIG={\"cluster\": {\"worker\": [\"127.0.0.1:4001\", \"127.0.0.1:4002\"]}, "
                       "\"task\": {\"type\": \"worker\", \"index\": 1}}"));
  EXPECT_THAT(environment, Not(Contains(StartsWith("RANK="))));
}

TEST(RankEnvironment, HorovodMeetsOverGloo) {
  const auto environment = with_rank({}, plan(Framework::kHorovod, {4001}), 0);
  EXPECT_THAT(environment, Contains("HOROVOD_GLOO_RENDEZVOUS_PORT=4001"));
  EXPECT_THAT(environment, Contains("HOROVOD_SIZE=2"));
}

TEST(RankEnvironment, WhatTheUserSetForThreadsStays) {
  EXPECT_THAT(with_rank({"OMP_NUM_THREADS=5"}, plan(Framework::kPlain, {1}), 0),
              Contains("OMP_NUM_THREADS=5"));
  EXPECT_THAT(with_rank({}, plan(Framework::kPlain, {1}), 0), Contains("OMP_NUM_THREADS=1"));
}

TEST(RankEnvironment, GpusAreTheJobsOwn) {
  Plan with_gpus = plan(Framework::kPyTorch, {1});
  with_gpus.gpus = {2, 3};
  EXPECT_THAT(with_rank({}, with_gpus, 1), Contains("CUDA_VISIBLE_DEVICES=2,3"));
  EXPECT_THAT(with_rank({}, plan(Framework::kPyTorch, {1}), 1),
              Not(Contains(StartsWith("CUDA_VISIBLE_DEVICES"))));
}

}  // namespace
}  // namespace lockstep::service
