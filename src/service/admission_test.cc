#include "service/admission.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/job/job.h"
#include "service/testing/fakes.h"

namespace lockstep::service {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::int64_t kNow = 1'700'000'000'000;

// A machine with two cores and one GPU, and a store.
class AdmissionTest : public ::testing::Test {
 protected:
  AdmissionTest() {
    std::string name = "/tmp/lockstep-admission-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    clusters_.by_engine[EngineKind::kLocal] =
        std::make_unique<OneMachine>(Resources{2000, std::int64_t{1} << 30, 1});
    store_ = std::make_unique<FlakyStore>(folder_);
  }
  ~AdmissionTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  static Submission wish(base::Json request, std::string_view body = "",
                         std::optional<std::string> key = std::nullopt) {
    if (!request.contains("command")) request["command"] = {"true"};
    return {"ann", std::move(request), body, std::move(key)};
  }
  Submitted judged(base::Json request) { return admissible(wish(std::move(request)), clusters_, kNow); }
  std::vector<Submitted> admitted(const std::vector<Submission>& wishes) {
    return admit(wishes, clusters_, *store_, kNow).value();
  }
  std::string pointer_of_refusal(base::Json request) {
    const Submitted refused = judged(std::move(request));
    EXPECT_EQ(refused.refusal, Refusal::kInvalid);
    EXPECT_TRUE(refused.job.id.empty()) << "it has no name to ask for";
    return refused.faults.empty() ? "" : refused.faults[0].pointer;
  }

  std::filesystem::path folder_;
  Clusters clusters_;
  std::unique_ptr<FlakyStore> store_;
};

TEST_F(AdmissionTest, AJobThatCanRunHasANameAnOwnerAndItsTime) {
  const Submitted taken = judged({{"workers", 2}});
  EXPECT_EQ(taken.refusal, Refusal::kNone);
  EXPECT_TRUE(taken.waits_for_its_turn());
  EXPECT_EQ(taken.job.owner, "ann");
  EXPECT_EQ(taken.job.created_ms, kNow);
  EXPECT_GE(taken.job.id, least_job_id(kNow));
  EXPECT_LT(taken.job.id, least_job_id(kNow + 1));
  EXPECT_EQ(taken.job.engine, EngineKind::kLocal) << "the usual one";
  EXPECT_EQ(taken.job.per_worker.millicpus, 1000);
}

TEST_F(AdmissionTest, WhatTheMachineHasNotIsRefusedByItsField) {
  EXPECT_EQ(pointer_of_refusal({{"workers", 3}, {"cpus_per_worker", 1}}), "/cpus_per_worker");
  EXPECT_EQ(pointer_of_refusal({{"workers", 1}, {"gpus_per_worker", 2}}), "/gpus_per_worker");
  EXPECT_EQ(pointer_of_refusal({{"workers", 1}, {"nodes", 2}}), "/nodes");
  EXPECT_EQ(pointer_of_refusal({{"workers", 1}, {"partition", "gpu"}}), "/partition");
}

TEST_F(AdmissionTest, AnElasticJobIsJudgedByItsLeast) {
  EXPECT_EQ(judged({{"workers", {{"min", 2}, {"max", 9}}}, {"cpus_per_worker", 1}}).refusal, Refusal::kNone);
  EXPECT_EQ(judged({{"workers", {{"min", 3}, {"max", 9}}}, {"cpus_per_worker", 1}}).refusal,
            Refusal::kInvalid);
}

TEST_F(AdmissionTest, AnEngineThatTheServiceHasNotIsRefused) {
  EXPECT_EQ(pointer_of_refusal({{"workers", 1}, {"engine", "slurm"}}), "/engine");
}

TEST_F(AdmissionTest, ARequestWithWrongFieldsNeverReachesTheCluster) {
  const Submitted refused = judged({{"workers", 0}, {"engine", "slurm"}});
  ASSERT_THAT(refused.faults, SizeIs(1));
  EXPECT_EQ(refused.faults[0].pointer, "/workers") << "what the user wrote comes first";
}

TEST_F(AdmissionTest, OnlyThoseThatCanRunAreWrittenDownInTheirOrder) {
  const std::vector<Submitted> all = admitted(
      {wish({{"workers", 1}}), wish({{"workers", 99}, {"cpus_per_worker", 1}}), wish({{"workers", 2}})});
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_TRUE(all[0].waits_for_its_turn());
  EXPECT_EQ(all[1].refusal, Refusal::kInvalid);
  EXPECT_FALSE(all[1].waits_for_its_turn());
  EXPECT_EQ(all[2].job.spec.workers_max, 2);
  EXPECT_THAT(store_->unfinished().value(), SizeIs(2));
  EXPECT_EQ(store_->events(all[2].job.id, 0, 9).value().at(0).detail, "2 ranks");
  EXPECT_EQ(store_->events(all[0].job.id, 0, 9).value().at(0).detail, "1 rank");
}

TEST_F(AdmissionTest, AKeyWithTheSameBodyGivesTheJobThatIsThere) {
  const Submission first = wish({{"workers", 1}}, "body", "key");
  const std::string id = admitted({first})[0].job.id;
  const Submitted again = admitted({first})[0];
  EXPECT_EQ(again.job.id, id);
  EXPECT_FALSE(again.is_new);
  EXPECT_FALSE(again.waits_for_its_turn()) << "it would run twice";
  EXPECT_THAT(store_->unfinished().value(), SizeIs(1));
}

TEST_F(AdmissionTest, AKeyWithAnotherBodyIsRefused) {
  admitted({wish({{"workers", 1}}, "body", "key")});
  const Submitted other = admitted({wish({{"workers", 2}}, "another", "key")})[0];
  EXPECT_EQ(other.refusal, Refusal::kOtherBody);
  EXPECT_FALSE(other.waits_for_its_turn());
}

TEST_F(AdmissionTest, AKeyWhoseJobWasDeletedIsRefused) {
  const Submission first = wish({{"workers", 1}}, "body", "key");
  ASSERT_TRUE(store_->remove(admitted({first})[0].job.id).ok());
  EXPECT_EQ(admitted({first})[0].refusal, Refusal::kDeleted);
}

TEST_F(AdmissionTest, AStoreThatIsAwayIsAnErrorForAll) {
  store_->is_away = true;
  const std::vector<Submission> wishes = {wish({{"workers", 1}})};
  EXPECT_FALSE(admit(wishes, clusters_, *store_, kNow).ok());
  const std::vector<Submission> impossible = {wish({{"workers", 99}, {"cpus_per_worker", 1}})};
  EXPECT_TRUE(admit(impossible, clusters_, *store_, kNow).ok()) << "a refusal needs no store";
}

}  // namespace
}  // namespace lockstep::service
