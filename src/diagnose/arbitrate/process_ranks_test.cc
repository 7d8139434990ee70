#include "diagnose/arbitrate/process_ranks.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::diagnose {
namespace {

using evidence::Activity;
using evidence::Doing;

constexpr long kFutex = 202;
constexpr long kSleep = 230;

Activity waiting(pid_t pid, long in) {
  return {.pid = pid, .doing = Doing::kWaits, .cpu_seconds = 1, .waits_in = in};
}
Activity asking(pid_t pid) {
  return {.pid = pid, .doing = Doing::kPolls, .cpu_seconds = 1, .waits_in = std::nullopt};
}

const RankByProcess kFour = {{10, 0}, {11, 1}, {12, 2}, {13, 3}};

TEST(OddOne, WaitsInAnotherCall) {
  const std::vector<Activity> seen = {waiting(10, kFutex), waiting(11, kFutex), waiting(12, kSleep),
                                      waiting(13, kFutex)};
  EXPECT_EQ(odd_one_in(kFour, seen), 2);
}

TEST(OddOne, WaitsWhileAllOthersAsk) {
  const std::vector<Activity> seen = {asking(10), waiting(11, kSleep), asking(12), asking(13)};
  EXPECT_EQ(odd_one_in(kFour, seen), 1);
}

TEST(OddOne, IsNobodyWhereAllAreAlike) {
  const std::vector<Activity> seen = {waiting(10, kFutex), waiting(11, kFutex), waiting(12, kFutex)};
  EXPECT_EQ(odd_one_in(kFour, seen), std::nullopt);
}

TEST(OddOne, IsNobodyOfTwoAndOfTwoCamps) {
  EXPECT_EQ(odd_one_in(kFour, std::vector<Activity>{waiting(10, kFutex), waiting(11, kSleep)}), std::nullopt);
  const std::vector<Activity> camps = {waiting(10, kFutex), waiting(11, kSleep), waiting(12, kFutex),
                                       waiting(13, kSleep)};
  EXPECT_EQ(odd_one_in(kFour, camps), std::nullopt);
}

TEST(OddOne, AskedAloneItMayJustBeLate) {
  const std::vector<Activity> seen = {waiting(10, kFutex), asking(11), waiting(12, kFutex)};
  EXPECT_EQ(odd_one_in(kFour, seen), std::nullopt);
}

TEST(OddOne, HelpersOfARankDoNotSpeakForIt) {
  const RankByProcess with_helper = {{10, 0}, {11, 1}, {12, 2}, {20, 2}};
  const std::vector<Activity> seen = {waiting(10, kFutex), waiting(11, kFutex), waiting(12, kFutex),
                                      waiting(20, kSleep)};
  EXPECT_EQ(odd_one_in(with_helper, seen), std::nullopt);
}

TEST(RanksOf, TheLogThatAProcessAloneWritesIsItsOwn) {
  const std::vector<LogPlace> logs = {{.path = "rank_0.out", .rank = 0}, {.path = "rank_1.out", .rank = 1}};
  const std::vector<evidence::WrittenLog> written = {
      {.log = 0, .life = {}, .writers = {10, 9}, .processes = {9, 10, 11}},
      {.log = 1, .life = {}, .writers = {11, 9}, .processes = {9, 10, 11}}};
  const std::vector<Activity> seen = {waiting(9, kFutex), waiting(10, kFutex), waiting(11, kFutex)};
  const process::Roots nowhere{.proc = "/nowhere", .sys = "/nowhere"};
  EXPECT_EQ(ranks_of(nowhere, logs, written, seen), (RankByProcess{{10, 0}, {11, 1}}));
}

}  // namespace
}  // namespace lockstep::diagnose
