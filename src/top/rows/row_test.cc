#include "top/rows/row.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "report/lines.h"
#include "top/testing/snapshots.h"

namespace lockstep::top {
namespace {

using ::testing::ElementsAre;
using testing::healthy_job;
using testing::job_that_waits_for;
using testing::kMs;
using watch::RankState;

std::vector<std::vector<int>> ranks_by_row(const std::vector<Row>& rows) {
  std::vector<std::vector<int>> all;
  for (const Row& row : rows) all.push_back(ranks_of(row));
  return all;
}

std::vector<std::vector<int>> folded(const watch::Snapshot& job, SortBy by = SortBy::kState,
                                     bool reversed = false) {
  std::vector<Row> rows = folded_rows(job);
  sort_rows(rows, by, reversed);
  return ranks_by_row(rows);
}

TEST(Fold, AHealthyJobIsOneRow) {
  EXPECT_EQ(folded(healthy_job(4096)).size(), 1U);
}

TEST(Fold, TheOneOthersWaitForStandsAlone) {
  EXPECT_THAT(folded(job_that_waits_for(1, 4)), ElementsAre(std::vector{1}, std::vector{0, 2, 3}));
}

TEST(Fold, AShortWaitIsOrdinaryWork) {
  watch::Snapshot job = job_that_waits_for(1, 4);
  for (watch::RankView& view : job.ranks) view.for_ns = 900 * kMs;
  EXPECT_EQ(folded(job).size(), 1U);
}

TEST(Fold, RanksThatWaitForOthersOfDifferentCallsAreApart) {
  watch::Snapshot job = job_that_waits_for(1, 6);
  job.ranks[4].doing = job.ranks[5].doing = "barrier 9 in tp";
  EXPECT_THAT(folded(job), ElementsAre(std::vector{1}, std::vector{0, 2, 3}, std::vector{4, 5}));
}

TEST(Fold, ASmallLatenessMakesNoStraggler) {
  watch::Snapshot job = healthy_job(8);
  for (watch::RankView& view : job.ranks) view.lateness_ns = 10'000;
  job.ranks[3].lateness_ns = 900'000;  // ninety times the usual, yet nothing
  EXPECT_EQ(folded(job).size(), 1U);
  job.ranks[3].lateness_ns = 20 * kMs;  // a quarter of a step
  EXPECT_THAT(folded(job), ElementsAre(std::vector{3}, std::vector{0, 1, 2, 4, 5, 6, 7}));
}

TEST(Fold, ARankThatAFindingBlamesComesFirst) {
  watch::Snapshot job = healthy_job(4);
  job.ranks[0].state = RankState::kGone;
  job.findings = {testing::missing_rank(2)};
  EXPECT_THAT(folded(job), ElementsAre(std::vector{2}, std::vector{0}, std::vector{1, 3}));
}

TEST(Sort, ByEachFigureAndReversed) {
  watch::Snapshot job = healthy_job(3);
  job.ranks[0].steps_per_second = 9;
  job.ranks[1].steps_per_second = 3;
  job.ranks[2].steps_per_second.reset();
  job.ranks[0].communication_share = 0.1;
  job.ranks[1].communication_share = 0.2;
  job.ranks[2].communication_share = 0.3;
  const auto order = [&](SortBy by, bool reversed) {
    std::vector<Row> rows = one_row_each(job);
    sort_rows(rows, by, reversed);
    std::vector<int> ranks;
    for (const Row& row : rows) ranks.push_back(row.first().rank);
    return ranks;
  };
  EXPECT_THAT(order(SortBy::kRank, false), ElementsAre(0, 1, 2));
  EXPECT_THAT(order(SortBy::kRank, true), ElementsAre(2, 1, 0));
  EXPECT_THAT(order(SortBy::kStepRate, false), ElementsAre(1, 0, 2)) << "the slowest first, unknown last";
  EXPECT_THAT(order(SortBy::kStepRate, true), ElementsAre(0, 1, 2));
  EXPECT_THAT(order(SortBy::kCommunication, false), ElementsAre(2, 1, 0));
  EXPECT_THAT(order(SortBy::kLateness, false), ElementsAre(0, 1, 2)) << "equal ones by rank";
}

watch::Snapshot any_job() {
  watch::Snapshot job = healthy_job(*rc::gen::inRange(1, 24));
  const int count = static_cast<int>(job.ranks.size());
  for (watch::RankView& view : job.ranks) {
    view.state = static_cast<RankState>(*rc::gen::inRange(0, 8));
    view.doing = *rc::gen::element<std::string>("", "all_reduce 1", "barrier 2");
    view.for_ns = *rc::gen::element<std::int64_t>(0, kLongWaitNs);
    if (view.state == RankState::kWaiting) view.waits_for = {*rc::gen::inRange(0, count + 2)};
    if (view.state == RankState::kEnded) view.exit_status = *rc::gen::inRange(0, 2);
  }
  return job;
}

RC_GTEST_PROP(Fold, EveryRankIsOnOneRowAndEqualOnesOnTheSame, ()) {
  const watch::Snapshot job = any_job();
  const std::vector<Standing> standings = standings_of(job);
  using Key = std::tuple<Standing, RankState, std::optional<int>, std::string, std::vector<int>>;
  std::map<Key, std::vector<int>> expected;
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const watch::RankView& view = job.ranks[i];
    const bool is_at_work = standings[i] == Standing::kRunning || standings[i] == Standing::kStraggler;
    expected[is_at_work ? Key{standings[i], {}, {}, {}, {}}
                        : Key{standings[i], view.state, view.exit_status, view.doing, view.waits_for}]
        .push_back(view.rank);
  }
  std::multiset<std::vector<int>> groups;
  for (const auto& [key, ranks] : expected) groups.insert(ranks);
  const auto rows = folded(job);
  RC_ASSERT(groups == std::multiset<std::vector<int>>(rows.begin(), rows.end()));
}

TEST(RankLabel, CountsWhatIsLeftOut) {
  EXPECT_EQ(rank_label({0, 1, 2, 5, 7, 8}, 20), "0-2,5,7-8");
  EXPECT_EQ(rank_label({0, 1, 2, 5, 7, 8}, 8), "0-2,…+3");
  EXPECT_EQ(rank_label({0, 1, 2, 5, 7, 8}, 4), "6 r…");
  EXPECT_EQ(rank_label({}, 4), "");
}

RC_GTEST_PROP(RankLabel, NeverWiderThanItsColumn, (const std::set<unsigned short>& ranks)) {
  const int columns = *rc::gen::inRange(1, 40);
  RC_ASSERT(report::display_width(rank_label({ranks.begin(), ranks.end()}, columns)) <= columns);
}

}  // namespace
}  // namespace lockstep::top
