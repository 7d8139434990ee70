#include "top/view_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "top/testing/screen.h"
#include "top/testing/snapshots.h"

namespace lockstep::top {
namespace {

using ::testing::HasSubstr;
using testing::healthy_job;
using testing::job_that_waits_for;
using ::testing::Not;
using testing::screen_of;

constexpr Size kSize{80, 24};

ViewState after(const watch::Snapshot& job, std::initializer_list<Key> keys, ViewState state = {}) {
  const History history;
  for (const Key key : keys) state = press(std::move(state), key, {job, history, kSize});
  return state;
}

TEST(ViewState, TheCursorFollowsItsRankWhenRowsMove) {
  watch::Snapshot job = healthy_job(4);
  const ViewState state = after(job, {Key::kDown, Key::kDown});
  EXPECT_EQ(state.selected, 2);
  job.ranks[3].state = watch::RankState::kGone;  // now the first row
  EXPECT_EQ(after(job, {Key::kUp}, state).selected, 1);
}

TEST(ViewState, TheCursorStopsAtBothEnds) {
  const watch::Snapshot job = healthy_job(4);
  EXPECT_EQ(after(job, {Key::kUp}).selected, 0);
  EXPECT_EQ(after(job, {Key::kEnd, Key::kDown}).selected, 3);
  EXPECT_EQ(after(job, {Key::kEnd, Key::kHome}).selected, 0);
}

TEST(ViewState, UnfoldedRanksAreScrolledByPages) {
  const watch::Snapshot job = healthy_job(1024);
  const ViewState state = after(job, {Key::kFold, Key::kPageDown, Key::kPageDown});
  const std::string screen = screen_of(job, kSize, state);
  EXPECT_THAT(screen, HasSubstr("of 1,024"));
  EXPECT_THAT(screen, HasSubstr("\n" + std::to_string(*state.selected) + " "));
  EXPECT_THAT(screen_of(job, kSize, after(job, {Key::kEnd}, state)), HasSubstr("\n1023  computing"));
}

TEST(ViewState, EnterOpensARowThenARankAndEscapeGoesBackTheSameWay) {
  const watch::Snapshot job = job_that_waits_for(1, 64);
  ViewState state = after(job, {Key::kDown, Key::kEnter});
  EXPECT_EQ(state.only.size(), 63U);
  EXPECT_THAT(screen_of(job, kSize, state), Not(HasSubstr("\n1     late")));
  state = after(job, {Key::kDown, Key::kEnter}, state);
  EXPECT_EQ(state.page, Page::kRank);
  EXPECT_THAT(screen_of(job, kSize, state), HasSubstr("Rank 2 on node000"));
  state = after(job, {Key::kEscape}, state);
  EXPECT_EQ(state.page, Page::kRanks);
  EXPECT_EQ(state.only.size(), 63U);
  state = after(job, {Key::kEscape}, state);
  EXPECT_TRUE(state.only.empty());
  EXPECT_EQ(state.selected, 2);
}

TEST(ViewState, SortingGoesThroughAllOrdersAndBack) {
  const watch::Snapshot job = healthy_job(4);
  ViewState state;
  for (const SortBy by :
       {SortBy::kRank, SortBy::kStepRate, SortBy::kLateness, SortBy::kCommunication, SortBy::kState}) {
    state = after(job, {Key::kSort}, state);
    EXPECT_EQ(state.sort_by, by);
  }
  EXPECT_TRUE(after(job, {Key::kReverse}).is_reversed);
  EXPECT_FALSE(after(job, {Key::kReverse, Key::kReverse}).is_reversed);
}

TEST(ViewState, FoldingIsAutomaticUntilAsked) {
  const History history;
  const watch::Snapshot few = healthy_job(4);
  EXPECT_THAT(screen_of(few, kSize), HasSubstr("\n0     computing"));
  EXPECT_THAT(screen_of(few, kSize, after(few, {Key::kFold})), HasSubstr("\n0-3   computing"));
  const watch::Snapshot many = healthy_job(64);
  EXPECT_THAT(screen_of(many, kSize), HasSubstr("\n0-63  computing"));
  EXPECT_THAT(screen_of(many, kSize, after(many, {Key::kFold})), HasSubstr("\n0     computing"));
}

TEST(ViewState, PagesAreTurnedByTheirKeyAndBackByItOrEscape) {
  const watch::Snapshot job = healthy_job(4);
  EXPECT_EQ(after(job, {Key::kWaits}).page, Page::kWaits);
  EXPECT_EQ(after(job, {Key::kWaits, Key::kWaits}).page, Page::kRanks);
  EXPECT_EQ(after(job, {Key::kHelp, Key::kEscape}).page, Page::kRanks);
  EXPECT_EQ(after(job, {Key::kWaits, Key::kHelp}).page, Page::kHelp);
}

TEST(ViewState, LeavingIsAsked) {
  EXPECT_TRUE(after(healthy_job(1), {Key::kLeave}).wants_to_leave);
  EXPECT_FALSE(after(healthy_job(1), {Key::kEscape}).wants_to_leave);
}

RC_GTEST_PROP(ViewState, NoKeysOnNoJobAndNoSizeBreakTheScreen, ()) {
  const auto keys = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 16));
  const Size size{*rc::gen::inRange(1, 140), *rc::gen::inRange(1, 50)};
  const History history;
  ViewState state;
  for (const int key : keys) {
    const int ranks = *rc::gen::inRange(0, 80);  // ranks come and go while the person looks
    const watch::Snapshot job = ranks % 2 == 0 ? healthy_job(ranks) : job_that_waits_for(ranks / 2, ranks);
    state = press(std::move(state), static_cast<Key>(key), {job, history, size});
    RC_ASSERT(render({job, history, size}, state).size() == static_cast<std::size_t>(size.rows));
  }
}

}  // namespace
}  // namespace lockstep::top
