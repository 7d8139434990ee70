#include "service/growth.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "service/engine/nodes/node_place.h"

namespace lockstep::service {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kStart = 1'000'000;
constexpr std::int64_t kLate = kStart + 61'000;

// A cluster that has room for so many, and remembers for whom it was asked.
class GrowthCluster : public Cluster {
 public:
  std::vector<FieldFault> choose(Job&) override { return {}; }
  bool has_own_queue() const override { return true; }
  Share share_for(const Job&) override { return {}; }
  Room room_for(const Job&, const Attempt&, const std::vector<std::string>& own) override {
    asked_for = own;
    return room;
  }
  Room room;
  std::vector<std::string> asked_for;
};

// An elastic job of two to four ranks that runs with two, may grow after a minute, and has saved its work.
class GrowthTest : public ::testing::Test {
 protected:
  GrowthTest() {
    std::string name = "/tmp/lockstep-growth-XXXXXX";
    root_ = ::mkdtemp(name.data());
    folder_.path = root_ / "1";
    std::filesystem::create_directories(folder_.nodes());
    auto cluster = std::make_unique<GrowthCluster>();
    cluster_ = cluster.get();
    clusters_.by_engine[EngineKind::kSlurm] = std::move(cluster);
    active_.job.spec.workers_min = 2;
    active_.job.spec.workers_max = 4;
    active_.job.spec.checkpoint_directory = (root_ / "checkpoints").string();
    active_.job.per_worker.millicpus = 1000;
    active_.attempt.workers = 2;
    active_.attempt.started_ms = kStart;
    judge_.grow_after(std::chrono::seconds(60));
    save_at(kStart + 1000);
  }
  ~GrowthTest() override { std::filesystem::remove_all(root_); }

  void save_at(std::int64_t ms) const {
    const std::filesystem::path file = root_ / "checkpoints" / "step_1";
    std::filesystem::create_directories(file.parent_path());
    ASSERT_TRUE(base::write_file(file, "x").ok());
    const timespec at{ms / 1000, ms % 1000 * 1'000'000};
    const timespec times[2] = {at, at};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
  std::optional<Growth> judged(std::int64_t free_millicpus, std::int64_t now_ms = kLate,
                               bool others_wait = false) const {
    return judge_.judge(active_, folder_, {{free_millicpus, 0, 0}, others_wait, clusters_}, now_ms).value();
  }
  void be_on_slurm(int room, std::vector<std::string> returned = {}) {
    active_.job.engine = EngineKind::kSlurm;
    cluster_->room = {room, std::move(returned)};
  }

  std::filesystem::path root_;
  AttemptFolder folder_;
  GrowthCluster* cluster_ = nullptr;
  Clusters clusters_;
  RunningAttempt active_;
  GrowthJudge judge_;
};

TEST_F(GrowthTest, TakesTheRoomThatThereIs) {
  EXPECT_EQ(judged(1000), Growth{3});
  EXPECT_EQ(judged(999), std::nullopt) << "room for no rank";
}

TEST_F(GrowthTest, NoMoreRanksThanWereAskedFor) {
  EXPECT_EQ(judged(64'000), Growth{4});
  active_.attempt.workers = 4;
  EXPECT_EQ(judged(64'000), std::nullopt);
}

TEST_F(GrowthTest, NotBeforeItsTime) {
  EXPECT_EQ(judged(1000, kStart + 59'999), std::nullopt);
  EXPECT_EQ(judged(1000, kStart + 60'000), Growth{3});
  judge_.grow_after(std::chrono::seconds(0));
  EXPECT_EQ(judged(1000), std::nullopt) << "never";
}

TEST_F(GrowthTest, NotWhileOthersWaitForTheRoom) {
  EXPECT_EQ(judged(1000, kLate, true), std::nullopt);
  be_on_slurm(3);
  EXPECT_EQ(judged(0, kLate, true), Growth{3}) << "their room is another";
}

TEST_F(GrowthTest, NotOneThatIsToEnd) {
  active_.job.cancel_asked = true;
  EXPECT_EQ(judged(1000), std::nullopt);
}

TEST_F(GrowthTest, NotOneThatWasToldAlready) {
  active_.is_told_to_grow = true;
  EXPECT_EQ(judged(1000), std::nullopt);
}

TEST_F(GrowthTest, NotOneThatWouldLoseItsWork) {
  save_at(kStart - 1000);
  EXPECT_EQ(judged(1000), std::nullopt) << "an earlier attempt saved it";
  std::filesystem::remove_all(root_ / "checkpoints");
  EXPECT_EQ(judged(1000), std::nullopt) << "nothing was saved";
  active_.job.spec.checkpoint_directory.clear();
  EXPECT_EQ(judged(1000), std::nullopt) << "nothing ever is";
}

TEST_F(GrowthTest, WhatAnotherServiceBeganGoesOn) {
  ASSERT_TRUE(write_growth(folder_, {4, {"n2"}}).ok());
  EXPECT_EQ(judged(0), (Growth{4, {"n2"}})) << "though there is no room now";
}

TEST_F(GrowthTest, ADamagedNoteOfAnotherServiceIsNone) {
  for (const char* text : {"", "{", "[]", R"({"workers": "4", "returned": []})", R"({"workers": 4})"}) {
    ASSERT_TRUE(base::write_file(folder_.path / "growth.json", text).ok());
    EXPECT_EQ(read_growth(folder_).value(), std::nullopt) << text;
  }
}

TEST_F(GrowthTest, ElsewhereTheClusterSaysWhatRoomThereIs) {
  be_on_slurm(4, {"n2"});
  ASSERT_TRUE(publish_place(folder_, 0, {"n1", "", "", {}}).ok());
  EXPECT_EQ(judged(0), (Growth{4, {"n2"}}));
  EXPECT_THAT(cluster_->asked_for, ElementsAre("n1")) << "its own nodes are free for it";
  be_on_slurm(2);
  EXPECT_EQ(judged(64'000), std::nullopt);
}

TEST(GrowthInWords, NamesRanksAndNodes) {
  EXPECT_EQ(in_words({3}), "to go on with 3 ranks from its checkpoint: there is room");
  EXPECT_EQ(in_words({3, {"n1"}}), "to go on with 3 ranks from its checkpoint: n1 is back");
  EXPECT_EQ(in_words({3, {"n1", "n2"}}), "to go on with 3 ranks from its checkpoint: n1, n2 are back");
}

}  // namespace
}  // namespace lockstep::service
