#include "diagnose/ranks/hang/set_up_beliefs.h"

#include <gtest/gtest.h>

#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

struct Told {
  int world_size = 0;
  std::string place;
};

model::Job job_of(const std::vector<Told>& ranks) {
  model::Job job;
  for (const Told& told : ranks) {
    model::RankHistory& history = job.ranks.emplace_back();
    history.rank.number = static_cast<int>(job.ranks.size()) - 1;
    history.rank.world_size = told.world_size;
    history.rank.meeting_place = told.place;
    history.rank.begun_ns = 1;
    job.world_size = std::max(job.world_size.value_or(0), told.world_size);
  }
  return job;
}

std::vector<int> odd_ones(const std::vector<Told>& ranks) {
  const auto finding = find_set_up_disagreement(job_of(ranks));
  return finding ? finding->root_ranks : std::vector<int>{-1};
}

const std::vector<int> kNobody = {-1};

TEST(SetUpBeliefs, TheWorldSizeOfMostIsRight) {
  EXPECT_EQ(odd_ones({{4, ""}, {3, ""}, {3, ""}}), std::vector<int>{0});
  EXPECT_EQ(odd_ones({{3, ""}, {3, ""}, {3, ""}}), kNobody);
}

TEST(SetUpBeliefs, OfTwoWorldSizesThatOfAsManyAsThereAre) {
  EXPECT_EQ(odd_ones({{2, ""}, {3, ""}}), std::vector<int>{1});
  EXPECT_EQ(odd_ones({{4, ""}, {3, ""}}), std::vector<int>{}) << "neither fits";
}

TEST(SetUpBeliefs, AnotherPortIsAnotherMeeting) {
  EXPECT_EQ(odd_ones({{3, "10.0.0.1:29500"}, {3, "10.0.0.1:29500"}, {3, "10.0.0.1:29501"}}),
            std::vector<int>{2});
  EXPECT_EQ(odd_ones({{2, "node0:29500"}, {2, "node0:29501"}}), std::vector<int>{1})
      << "rank 0 listens there";
}

TEST(SetUpBeliefs, AHostHasSeveralNames) {
  EXPECT_EQ(odd_ones({{2, "localhost:29500"}, {2, "node0:29500"}}), kNobody);
  EXPECT_EQ(odd_ones({{3, "node0:1"}, {3, "10.0.0.1:1"}, {3, "10.0.0.1:1"}}), kNobody);
  EXPECT_EQ(odd_ones({{2, "127.0.0.1:1"}, {2, "10.0.0.1:1"}}), kNobody) << "rank 0 listens on all it has";
  const auto addresses =
      find_set_up_disagreement(job_of({{3, "10.0.0.1:1"}, {3, "10.0.0.1:1"}, {3, "10.0.0.9:1"}}));
  ASSERT_TRUE(addresses);
  EXPECT_LT(addresses->confidence, 0.9) << "they may be one host";
}

TEST(SetUpBeliefs, ClustersAreComparedTaskByTask) {
  const std::string right = "worker/0=a:1 worker/1=b:2 worker/2=c:3";
  EXPECT_EQ(odd_ones({{3, right}, {3, "worker/0=a:9 worker/1=b:2 worker/2=c:3"}, {3, right}}),
            std::vector<int>{1});
  EXPECT_EQ(odd_ones({{3, right}, {3, right}, {3, right}}), kNobody);
}

TEST(SetUpBeliefs, ATasksOwnWordCountsForItsAddress) {
  EXPECT_EQ(odd_ones({{2, "worker/0=a:1 worker/1=b:2"}, {2, "worker/0=a:9 worker/1=b:2"}}),
            std::vector<int>{1});
  EXPECT_EQ(odd_ones({{2, "worker/0=a:1 worker/1=b:9"}, {2, "worker/0=a:1 worker/1=b:2"}}),
            std::vector<int>{0});
}

TEST(SetUpBeliefs, SaysWhatIsKnownOfThoseWhoAreAbsent) {
  const auto title = [](AbsentProcess process) {
    return finding_of(job_of({{3, ""}, {3, ""}}), {AbsentRank{.rank = 2, .process = process, .pid = 7}},
                      9'000'000'000)
        .title;
  };
  EXPECT_EQ(title(AbsentProcess::kNotStarted), "rank 2 was not started, and ranks 0-1 are waiting for it");
  EXPECT_EQ(title(AbsentProcess::kEnded), "rank 2 ended before joining ranks 0-1");
  EXPECT_EQ(title(AbsentProcess::kThere),
            "rank 2 is late: ranks 0-1 have waited 9.0 s for the job to be complete");
}

}  // namespace
}  // namespace lockstep::ranks
