#include "attach/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/finding_code.h"

namespace lockstep::attach {
namespace {

using evidence::Doing;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

model::Frame user_frame(int line, const char* function = "main") {
  return {.function = function, .file = "/job/train.py", .line = line};
}

Position in_backward(std::int64_t step) {
  return {.stack = {{.function = "_engine_run_backward",
                     .file = "/v/site-packages/torch/autograd/graph.py",
                     .line = 1},
                    user_frame(50)},
          .loops = {{"step", step}}};
}

Position in_barrier(std::int64_t step) {
  return {.stack = {{.function = "barrier",
                     .file = "/v/site-packages/torch/distributed/distributed_c10d.py",
                     .line = 9},
                    {.function = "wrapper",
                     .file = "/v/site-packages/torch/distributed/c10d_logger.py",
                     .line = 2},
                    user_frame(54)},
          .loops = {{"step", step}}};
}

Position in_user_code(int line) {
  return {.stack = {user_frame(line, "load"), user_frame(48)}, .loops = {{"step", 5}}};
}

RankLook rank_at(int rank, const Position& position, Doing doing = Doing::kWaits,
                 Seconds blocked = Seconds(90)) {
  RankLook look{.process = {.pid = 100 + rank, .start_ticks = 1, .rank = rank, .command = "python train.py"},
                .host = "node-a",
                .doing = doing,
                .state = 'S'};
  look.blocked_for = blocked;
  look.rounds = {position, position, position};
  return look;
}

JobLook job_of(std::vector<RankLook> ranks) {
  JobLook look;
  look.job.program = "train.py";
  look.job.world_size = static_cast<int>(ranks.size());
  look.job.local_size = look.job.world_size;
  look.ranks = std::move(ranks);
  look.watched = Seconds(2);
  return look;
}

model::Finding only_finding(const JobLook& look) {
  const Judgement judgement = judge(look);
  EXPECT_THAT(judgement.verdict.findings, SizeIs(1)) << judgement.summary;
  return judgement.verdict.findings.empty() ? model::Finding{} : judgement.verdict.findings.front();
}

TEST(Judge, ARankInAnotherCallIsTheRoot) {
  const model::Finding finding =
      only_finding(job_of({rank_at(0, in_backward(5)), rank_at(1, in_backward(5)), rank_at(2, in_barrier(4)),
                           rank_at(3, in_backward(5))}));
  EXPECT_EQ(finding.code.text(), std::string_view(model::codes::kDifferentCalls));
  EXPECT_THAT(finding.root_ranks, ElementsAre(2));
  EXPECT_THAT(finding.victim_ranks, ElementsAre(0, 1, 3));
  EXPECT_EQ(finding.title, "Rank 2 waits in barrier while ranks 0-1 and 3 wait in backward");
  EXPECT_THAT(finding.evidence, SizeIs(4));
}

TEST(Judge, AStoppedRankIsTheRootWhateverTheOthersDo) {
  RankLook stopped = rank_at(1, in_user_code(30));
  stopped.state = 'T';
  const model::Finding finding =
      only_finding(job_of({rank_at(0, in_backward(5)), stopped, rank_at(2, in_backward(5))}));
  EXPECT_EQ(finding.code.text(), std::string_view(model::codes::kStoppedRank));
  EXPECT_THAT(finding.root_ranks, ElementsAre(1));
  EXPECT_THAT(finding.explanation, HasSubstr("kill -CONT 101"));
}

TEST(Judge, ARankThatStandsStillElsewhereIsTheRoot) {
  const model::Finding finding =
      only_finding(job_of({rank_at(0, in_backward(5)), rank_at(1, in_user_code(30))}));
  EXPECT_EQ(finding.code.text(), std::string_view(model::codes::kMissingRank));
  EXPECT_THAT(finding.root_ranks, ElementsAre(1));
  EXPECT_THAT(finding.title, HasSubstr("train.py:30 in load"));
}

TEST(Judge, ARankThatComputesIsGivenAMinute) {
  const auto with_wait = [](Seconds wait) {
    return job_of({rank_at(0, in_backward(5), Doing::kWaits, wait),
                   rank_at(1, in_user_code(30), Doing::kWorks, Seconds(0)),
                   rank_at(2, in_backward(5), Doing::kWaits, wait)});
  };
  const Judgement early = judge(with_wait(Seconds(20)));
  EXPECT_THAT(early.verdict.findings, IsEmpty());
  EXPECT_THAT(early.summary, HasSubstr("ank 1 is working at train.py:30"));
  EXPECT_THAT(only_finding(with_wait(Seconds(61))).root_ranks, ElementsAre(1));
}

TEST(Judge, ALongerWaitIsSurer) {
  const auto with_wait = [](Seconds wait) {
    return job_of(
        {rank_at(0, in_backward(5), Doing::kWaits, wait), rank_at(1, in_user_code(30), Doing::kWaits, wait)});
  };
  EXPECT_LT(only_finding(with_wait(Seconds(8))).confidence, only_finding(with_wait(Seconds(40))).confidence);
}

TEST(Judge, AJobWhoseRanksMoveIsNotHung) {
  RankLook moving = rank_at(0, in_backward(7));
  moving.rounds.front() = in_backward(5);
  const Judgement judgement = judge(job_of({moving, rank_at(1, in_user_code(30))}));
  EXPECT_THAT(judgement.verdict.findings, IsEmpty());
  EXPECT_THAT(judgement.summary, HasSubstr("making progress"));
}

TEST(Judge, AShortWaitIsLookedAtAgain) {
  const Judgement judgement = judge(job_of({rank_at(0, in_backward(5), Doing::kWaits, Seconds(1)),
                                            rank_at(1, in_user_code(30), Doing::kWaits, Seconds(1))}));
  EXPECT_THAT(judgement.verdict.findings, IsEmpty());
  EXPECT_TRUE(judgement.needs_longer_look);
}

TEST(Judge, HalfAgainstHalfNamesNobody) {
  const model::Finding finding =
      only_finding(job_of({rank_at(0, in_backward(5)), rank_at(1, in_barrier(5))}));
  EXPECT_EQ(finding.code.text(), std::string_view(model::codes::kDifferentCalls));
  EXPECT_THAT(finding.root_ranks, IsEmpty());
}

TEST(Judge, AllInOneCallIsAHangOnlyAfterHalfAMinute) {
  const auto with_wait = [](Seconds wait) {
    return job_of(
        {rank_at(0, in_barrier(5), Doing::kWaits, wait), rank_at(1, in_barrier(5), Doing::kWaits, wait)});
  };
  EXPECT_THAT(judge(with_wait(Seconds(20))).verdict.findings, IsEmpty());
  EXPECT_THAT(only_finding(with_wait(Seconds(40))).root_ranks, IsEmpty());
}

TEST(Judge, ARankWithoutAProcessIsMissing) {
  JobLook look = job_of({rank_at(0, in_backward(5)), rank_at(1, in_backward(5))});
  look.job.world_size = 3;
  look.job.local_size = 3;
  EXPECT_THAT(only_finding(look).root_ranks, ElementsAre(2));
  look.job.local_size = 2;  // the third is on another host
  EXPECT_THAT(judge(look).verdict.findings, SizeIs(1));
  EXPECT_THAT(only_finding(look).root_ranks, IsEmpty());
}

TEST(Judge, WithoutStacksMostRanksWaitForTheOneElsewhere) {
  const auto in_kernel = [](int rank, const char* function) {
    RankLook look = rank_at(rank, Position{});
    look.waits_in = function;
    look.why_no_stack = "it is no Python program";
    return look;
  };
  const Judgement judgement =
      judge(job_of({in_kernel(0, "do_poll"), in_kernel(1, "do_poll"), in_kernel(2, "pipe_read")}));
  ASSERT_THAT(judgement.verdict.findings, SizeIs(1));
  EXPECT_THAT(judgement.verdict.findings.front().root_ranks, ElementsAre(2));
  EXPECT_THAT(judgement.verdict.limits, ElementsAre("no stack of ranks 0-2: it is no Python program"));
}

TEST(Judge, GroupsShowWhoIsWhere) {
  const Judgement judgement =
      judge(job_of({rank_at(0, in_backward(5)), rank_at(1, in_backward(5)), rank_at(2, in_barrier(4))}));
  ASSERT_THAT(judgement.groups, SizeIs(2));
  EXPECT_THAT(judgement.groups.front().ranks, ElementsAre(0, 1));
  EXPECT_EQ(judgement.groups.front().place, "backward at train.py:50 in main");
  EXPECT_EQ(judgement.groups.front().loops, "step 5");
}

}  // namespace
}  // namespace lockstep::attach
