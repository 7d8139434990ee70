#include "top/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "top/testing/screen.h"
#include "top/testing/snapshots.h"

namespace lockstep::top {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::healthy_job;
using testing::job_that_waits_for;
using testing::kMs;
using testing::missing_rank;
using ::testing::Not;
using testing::screen_of;

constexpr Size kSmall{80, 24};
constexpr Size kLarge{120, 40};

ViewState on_page(Page page, int rank = 0) {
  ViewState state;
  state.page = page;
  state.selected = rank;
  return state;
}

TEST(Render, FourRanksHaveARowEach) {
  EXPECT_EQ(screen_of(healthy_job(4), kSmall), R"(
llama-7b  pytorch over nccl, 4 ranks on 1 host                     running 1h12m
12.4 steps/s   communication 38%   data wait 2%
4 running

RANK  STATE     STEP/S  LATE COMM    FOR DOING
0     computing   12.4   2ms  38%   12ms
1     computing   12.4   2ms  38%   12ms
2     computing   12.4   2ms  38%   12ms
3     computing   12.4   2ms  38%   12ms

q quit  Enter open  s/r sort:state  f fold  w waits  ? help
)");
}

TEST(Render, SixtyFourRanksAreFoldedAndTheLateOneComesFirst) {
  EXPECT_EQ(screen_of(job_that_waits_for(32, 64), kSmall), R"(
llama-7b  pytorch over nccl, 64 ranks on 8 hosts                   running 1h12m
0 steps/s   communication 38%   data wait 2%
1 late  63 waiting
0 wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwLwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww 63

RANK       STATE     STEP/S  LATE COMM    FOR DOING
32         late           0   2ms  38%   3.3s data_wait
0-31,33-63 waiting        0   2ms  38%   3.2s all_reduce 204 waits for 32

q quit  Enter open  s/r sort:state  f unfold  w waits  ? help
)");
}

TEST(Render, AThousandRanksAndAVerdict) {
  watch::Snapshot job = job_that_waits_for(512, 1024);
  job.findings = {missing_rank(512), missing_rank(512)};
  EXPECT_EQ(screen_of(job, kSmall), R"(
llama-7b  pytorch over nccl, 1,024 ranks on 128 hosts              running 1h12m
0 steps/s   communication 38%   data wait 2%
1 guilty  1,023 waiting
0 wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww!wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww 1023
! Rank 512 did not come to all_reduce 204 (and 1 more: w)

RANK           STATE     STEP/S  LATE COMM    FOR DOING
512            late           0   2ms  38%   3.3s data_wait
0-511,513-1023 waiting        0   2ms  38%   3.2s all_reduce 204 waits for 512

q quit  Enter open  s/r sort:state  f unfold  w waits  ? help
)");
  EXPECT_EQ(screen_of(job, kLarge), R"(
llama-7b  pytorch over nccl, 1,024 ranks on 128 hosts                                                      running 1h12m
0 steps/s   communication 38%   data wait 2%
1 guilty  1,023 waiting
0 wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww!wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww 1023
! Rank 512 did not come to all_reduce 204 (and 1 more: w)

RANK           HOST      STATE     STEP/S  LATE COMM    FOR DOING
512            node064   late           0   2ms  38%   3.3s data_wait
0-511,513-1023 128 hosts waiting        0   2ms  38%   3.2s all_reduce 204 in default_pg  waits for 512

q quit  Enter open  s/r sort:state  f unfold  w waits  ? help
)");
}

TEST(Render, FourThousandHealthyRanksAreOneCalmRowHoweverTheirStatesChange) {
  watch::Snapshot job = healthy_job(4096);
  for (std::size_t i = 0; i < job.ranks.size(); i += 3) {
    job.ranks[i].state = i % 2 == 0 ? watch::RankState::kCommunicating : watch::RankState::kWaiting;
    job.ranks[i].doing = "all_reduce " + std::to_string(i);
  }
  EXPECT_EQ(screen_of(job, kSmall), R"(
llama-7b  pytorch over nccl, 4,096 ranks on 512 hosts              running 1h12m
12.4 steps/s   communication 38%   data wait 2%
4,096 running
0 ........................................................................ 4095

RANK   STATE     STEP/S  LATE COMM    FOR DOING
0-4095 running     12.4   2ms  38%   12ms 2,730 computing, 1,366 in calls

q quit  Enter open  s/r sort:state  f unfold  w waits  ? help
)");
}

watch::Snapshot job_with_all_kinds_of_trouble() {
  watch::Snapshot job = healthy_job(64);
  job.ranks[7].lateness_ns = 31 * kMs;
  job.ranks[9].state = watch::RankState::kGone;
  job.ranks[9].doing = "all_gather 12 in tp";
  job.ranks[9].steps_per_second.reset();
  job.ranks[10].state = watch::RankState::kEnded;
  job.ranks[10].exit_status = 137;
  job.ranks[11].state = watch::RankState::kEnded;
  job.ranks[11].exit_status = 0;
  job.ranks[20].state = watch::RankState::kStopped;
  for (const std::size_t rank : {16U, 17U}) {
    job.ranks[rank].state = watch::RankState::kWaiting;
    job.ranks[rank].doing = "all_gather 12 in tp";
    job.ranks[rank].waits_for = {9, 10};
    job.ranks[rank].for_ns = 75'000 * kMs;
  }
  return job;
}

TEST(Render, TheOddOnesOutHaveRowsOfTheirOwnTheGuiltyFirst) {
  EXPECT_EQ(screen_of(job_with_all_kinds_of_trouble(), kSmall), R"(
llama-7b  pytorch over nccl, 64 ranks on 8 hosts                   running 1h12m
12.4 steps/s   communication 38%   data wait 2%
2 dead  1 stopped  1 straggling  2 waiting  57 running  1 ended
0 .......s.XX_....ww..T........................................... 63

RANK             STATE     STEP/S  LATE COMM    FOR DOING
9                gone           -   2ms  38%   12ms was in all_gather 12 in tp
10               ended       12.4   2ms  38%   12ms exit status 137
20               stopped     12.4   2ms  38%   12ms
7                straggler   12.4  31ms  38%   12ms
16-17            waiting     12.4   2ms  38%  1m15s all_gather 12 waits for 9-10
0-6,8,12-15,…+45 computing   12.4   2ms  38%   12ms
11               ended       12.4   2ms  38%   12ms

q quit  Enter open  s/r sort:state  f unfold  w waits  ? help
)");
  EXPECT_EQ(screen_of(job_with_all_kinds_of_trouble(), kLarge), R"(
llama-7b  pytorch over nccl, 64 ranks on 8 hosts                                                           running 1h12m
12.4 steps/s   communication 38%   data wait 2%
2 dead  1 stopped  1 straggling  2 waiting  57 running  1 ended
0 .......s.XX_....ww..T........................................... 63

RANK                    HOST    STATE     STEP/S  LATE COMM    FOR DOING
9                       node001 gone           -   2ms  38%   12ms was in all_gather 12 in tp
10                      node001 ended       12.4   2ms  38%   12ms exit status 137
20                      node002 stopped     12.4   2ms  38%   12ms
7                       node000 straggler   12.4  31ms  38%   12ms
16-17                   node002 waiting     12.4   2ms  38%  1m15s all_gather 12 in tp  waits for 9-10
0-6,8,12-15,18-19,21-63 8 hosts computing   12.4   2ms  38%   12ms
11                      node001 ended       12.4   2ms  38%   12ms

q quit  Enter open  s/r sort:state  f unfold  w waits  ? help
)");
}

TEST(Render, OneRankWithAllThatIsKnownOfIt) {
  watch::Snapshot job = job_that_waits_for(2, 4);
  job.findings = {missing_rank(2)};
  job.ranks[2].restart = 1;
  History history;
  for (const double rate : {12.0, 12.4, 6.2, 3.1, 0.0}) {
    job.ranks[2].steps_per_second = rate;
    job.ranks[2].calls += 4;
    job.taken_wall_ns += kMs * 500;
    history.add(job);
  }
  EXPECT_EQ(screen_of(job, kSmall, on_page(Page::kRank, 2), history), R"(
llama-7b  pytorch over nccl, 4 ranks on 1 host                     running 1h12m
0 steps/s ▁▁▁▁▁   communication 38%   data wait 2%
1 guilty  3 waiting
! Rank 2 did not come to all_reduce 204

Rank 2 on node000, process 4002, restart 1

  State          late
  Doing          data_wait, for 3.3s
  Waits for      nobody
  Waited for by  0-1,3 (3 ranks), for 3.2s in all_reduce 204 in default_pg

  Steps          1,204 finished, 0 a second (middle of all ranks 0)
  Steps/s        ██▅▃▁ 0 to 12.4
  Communication  38%  ########............
  Data wait      2%   ....................
  Lateness       2ms
  Calls          10,251 issued, 8.0 a second

  Wrong          Rank 2 did not come to all_reduce 204
  Who            Root cause: rank 2.
  How sure       almost certain (97%), desync.missing_rank
  Why            Everyone else waits in it.
q quit  Esc back  w waits  ? help
)");
}

TEST(Render, WhoWaitsForWhom) {
  watch::Snapshot job = job_that_waits_for(5, 16);
  for (const std::size_t rank : {14U, 15U}) {
    job.ranks[rank].waits_for = {13};
    job.ranks[rank].doing = "recv 7 from 13";
  }
  EXPECT_EQ(screen_of(job, kSmall, on_page(Page::kWaits)), R"(
llama-7b  pytorch over nccl, 16 ranks on 2 hosts                   running 1h12m
0 steps/s   communication 38%   data wait 2%
1 late  15 waiting

Who waits for whom
  5 is waited for: late, 3.3s in data_wait
     0-4,6-13 wait for 5, 3.2s in all_reduce 204 in default_pg
        14-15 wait for 13, 3.2s in recv 7 from 13

q quit  Esc back  w waits  ? help
)");
}

TEST(Render, OfALateRankThatSaysNothingOneSeesWhatOthersWaitIn) {
  watch::Snapshot job = job_that_waits_for(1, 4);
  job.ranks[1].doing.clear();
  job.ranks[1].for_ns.reset();
  EXPECT_THAT(
      screen_of(job, kSmall),
      HasSubstr("\n1     late           0   2ms  38%   3.2s others wait in all_reduce 204 in defau…\n"));
}

TEST(Render, AMomentsWaitIsCalledWorkInAHealthyJob) {
  watch::Snapshot job = job_that_waits_for(1, 4);
  for (watch::RankView& view : job.ranks) view.for_ns = 20 * kMs;
  const std::string screen = screen_of(job, kSmall);
  EXPECT_THAT(screen, HasSubstr("\n0     in call        0   2ms  38%   20ms all_reduce 204 in default_pg\n"));
  EXPECT_THAT(screen, HasSubstr("\n1     computing      0"));
}

TEST(Render, NobodyWaitsInAHealthyJob) {
  EXPECT_THAT(screen_of(healthy_job(4), kSmall, on_page(Page::kWaits)),
              HasSubstr("Nobody has waited for more than a second."));
}

TEST(Render, AJobThatHasEndedSaysSo) {
  watch::Snapshot job = healthy_job(4);
  job.is_over = true;
  for (watch::RankView& view : job.ranks) view.state = watch::RankState::kEnded;
  const std::string screen = screen_of(job, kSmall);
  EXPECT_THAT(screen, HasSubstr("the job has ended\n"));
  EXPECT_THAT(screen, HasSubstr("4 ended"));
}

TEST(Render, ARecordingWithoutRanksYet) {
  EXPECT_THAT(screen_of(watch::Snapshot(), kSmall), HasSubstr("No rank has written anything yet."));
}

TEST(Render, HelpNamesEveryKeyAndFitsAnOrdinaryTerminal) {
  const std::string help = screen_of(healthy_job(4), kSmall, on_page(Page::kHelp));
  for (const char* key : {"Enter ", "Esc ", "  s ", "  r ", "  f ", "  w ", "Ctrl-C"}) {
    EXPECT_THAT(help, HasSubstr(key));
  }
  EXPECT_THAT(help, Not(HasSubstr("…")));
}

TEST(Render, TextFromFilesCannotActOnTheTerminal) {
  watch::Snapshot job = job_that_waits_for(1, 4);
  const std::string hostile = "\x1b[2J\x1b]0;title\a\n\xff\u202e";
  job.job = job.framework = job.backend = hostile;
  for (watch::RankView& view : job.ranks) view.host = view.doing = hostile;
  job.findings = {missing_rank(1)};
  job.findings[0].title = job.findings[0].explanation = job.findings[0].code = hostile;
  for (const Page page : {Page::kRanks, Page::kRank, Page::kWaits}) {
    for (const Size size : {kSmall, kLarge}) {
      const std::string screen = screen_of(job, size, on_page(page, 1));
      EXPECT_EQ(screen.find_first_of("\x1b\a\xff"), std::string::npos);
      EXPECT_EQ(screen.find("\u202e"), std::string::npos);
    }
  }
}

TEST(Render, WideCharactersAreNotCutInHalf) {
  watch::Snapshot job = healthy_job(2);
  for (watch::RankView& view : job.ranks) view.doing = std::string(30, 'a') + "数据加载数据加载数据加载";
  for (int columns = 1; columns < 130; ++columns) screen_of(job, {columns, 24});
  EXPECT_THAT(screen_of(job, kSmall), HasSubstr("aaaaa数据加载…\n"));
}

TEST(Render, AScreenOfAnySizeIsFilledExactly) {
  watch::Snapshot job = job_with_all_kinds_of_trouble();
  job.findings = {missing_rank(9)};
  for (const Page page : {Page::kRanks, Page::kRank, Page::kWaits, Page::kHelp}) {
    for (int rows = 1; rows < 30; rows += 3) {
      for (int columns = 1; columns < 130; columns += 7) screen_of(job, {columns, rows}, on_page(page, 9));
    }
  }
}

TEST(Render, PlainTextShowsEveryRow) {
  watch::Snapshot job = healthy_job(64);
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    job.ranks[i].state = watch::RankState::kGone;
    job.ranks[i].doing = "barrier " + std::to_string(i);
  }
  const std::string text = render_plain(job, 80);
  EXPECT_THAT(text, HasSubstr("\n0  "));
  EXPECT_THAT(text, HasSubstr("\n63  "));
  EXPECT_THAT(text, EndsWith("barrier 63\n"));
}

}  // namespace
}  // namespace lockstep::top
