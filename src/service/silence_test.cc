#include "service/silence.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "report/findings_json.h"

namespace lockstep::service {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SilenceTest : public ::testing::Test {
 protected:
  SilenceTest() {
    std::string name = "/tmp/lockstep-silence-XXXXXX";
    folder_.path = ::mkdtemp(name.data());
    std::filesystem::create_directory(folder_.ranks());
  }
  ~SilenceTest() override { std::filesystem::remove_all(folder_.path); }

  void beat(int rank, std::int64_t at_s) const {
    EXPECT_TRUE(base::write_file(folder_.sign_of_life(rank), "1").ok());
    const timespec times[2] = {{at_s, 0}, {at_s, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, folder_.sign_of_life(rank).c_str(), times, 0), 0);
  }
  SilenceWatch::News look(int after_s) {
    return watch_.look(folder_, 3, std::chrono::seconds(5),
                       ServiceClock::Point(std::chrono::seconds(1000 + after_s)));
  }

  AttemptFolder folder_;
  SilenceWatch watch_;
};

TEST_F(SilenceTest, IsToldOnceAndTakenBackWhenTheRankIsHeard) {
  beat(0, 100);
  beat(1, 100);
  EXPECT_THAT(look(0).silent, IsEmpty());
  beat(0, 104);
  EXPECT_THAT(look(4).silent, IsEmpty());
  EXPECT_THAT(look(6).silent, ElementsAre(1));
  EXPECT_THAT(look(7).silent, IsEmpty());
  beat(1, 108);
  EXPECT_THAT(look(8).heard_again, ElementsAre(1));
  EXPECT_THAT(look(8).heard_again, IsEmpty());
}

TEST_F(SilenceTest, OfARankThatHasEndedOrNotBegunIsNone) {
  beat(0, 100);
  EXPECT_TRUE(base::write_file(folder_.rank_end(0), "{}").ok());
  look(0);
  EXPECT_THAT(look(99).silent, IsEmpty());
  EXPECT_THAT(look(199).lost, IsEmpty());
}

TEST_F(SilenceTest, ThatLastsEndsTheAttempt) {
  beat(0, 100);
  beat(2, 100);
  look(0);
  beat(0, 140);
  look(45);
  EXPECT_THAT(look(49).lost, IsEmpty());
  EXPECT_THAT(look(50).lost, ElementsAre(2));
}

TEST_F(SilenceTest, OfTheRankCountsNotTheClock) {
  beat(0, 1'000'000);  // a clock far ahead, or one that jumped
  EXPECT_THAT(look(0).silent, IsEmpty());
  beat(0, 5);
  EXPECT_THAT(look(4).silent, IsEmpty());
}

TEST_F(SilenceTest, IsReadByTheNextServiceAndBecomesAFinding) {
  EXPECT_FALSE(read_silence(folder_).value());
  ASSERT_TRUE(write_silence(folder_, {{1}, 50}).ok());
  const auto silence = read_silence(folder_).value();
  ASSERT_TRUE(silence);
  const auto verdict = report::findings_from_json(findings_of(*silence, 3), "findings");
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.value().findings[0].title, "Rank 1 gave no sign of life for 50 s");
  EXPECT_THAT(verdict.value().findings[0].victim_ranks, ElementsAre(0, 2));
}

// Two ranks, of which the first falls silent after its sign at 100 s.
class SilenceJudgeTest : public SilenceTest {
 protected:
  SilenceJudgeTest() { judge_.be_patient(std::chrono::seconds(5)); }

  SilenceJudge::Judgement judged(int after_s) {
    beat(1, 200 + after_s);
    return judge_.judge(watch_, folder_, 2, ServiceClock::Point(std::chrono::seconds(1000 + after_s)))
        .value();
  }
  SilenceJudge judge_;
};

TEST_F(SilenceJudgeTest, TellsWhoIsSilentForHowLong) {
  beat(0, 100);
  EXPECT_EQ(judged(0).told, std::nullopt);
  EXPECT_EQ(judged(4).told, std::nullopt);
  EXPECT_EQ(judged(5).told, (Silence{{0}, 5}));
  EXPECT_EQ(judged(6).told, std::nullopt) << "once";
}

TEST_F(SilenceJudgeTest, EndsTheAttemptAtTenTimesThePatience) {
  beat(0, 100);
  judged(0);
  EXPECT_EQ(judged(49).ends, std::nullopt);
  EXPECT_EQ(judged(50).ends, (Silence{{0}, 50}));
}

TEST_F(SilenceJudgeTest, AnEndThatWasAskedForIsNotAskedForAgain) {
  beat(0, 100);
  judged(0);
  ASSERT_TRUE(write_silence(folder_, {{0}, 50}).ok());
  EXPECT_EQ(judged(60).ends, std::nullopt);
}

TEST_F(SilenceJudgeTest, ARankThatIsHeardAgainEndsNothing) {
  beat(0, 100);
  judged(0);
  judged(40);
  beat(0, 101);
  EXPECT_THAT(judged(45).heard_again, ElementsAre(0));
  EXPECT_EQ(judged(94).ends, std::nullopt) << "its silence counts from then";
  EXPECT_EQ(judged(95).ends, (Silence{{0}, 50}));
}

TEST_F(SilenceJudgeTest, WithoutPatienceNobodyIsSilent) {
  judge_.be_patient(std::chrono::seconds(0));
  beat(0, 100);
  judged(0);
  const SilenceJudge::Judgement late = judged(9999);
  EXPECT_EQ(late.told, std::nullopt);
  EXPECT_EQ(late.ends, std::nullopt);
}

TEST_F(SilenceJudgeTest, LooksOnceASecond) {
  const ServiceClock::Point start(std::chrono::seconds(1000));
  EXPECT_TRUE(judge_.is_due(start));
  EXPECT_FALSE(judge_.is_due(start + std::chrono::milliseconds(999)));
  EXPECT_TRUE(judge_.is_due(start + std::chrono::milliseconds(1000)));
}

}  // namespace
}  // namespace lockstep::service
