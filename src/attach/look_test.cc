#include "attach/look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attach/attach.h"
#include "attach/look_json.h"

namespace lockstep::attach {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

// As py-spy 0.4 prints it, shortened.
constexpr std::string_view kDump = R"([
  {"pid": 11, "thread_name": "MainThread", "os_thread_id": 11, "frames": [
    {"name": "acquire", "filename": "/usr/lib/python3.11/threading.py", "line": 3, "locals": [{"name": "i", "repr": "9"}]},
    {"name": "main", "filename": "/job/train.py", "line": 54,
     "locals": [{"name": "step", "repr": "41"}, {"name": "batch_idx", "repr": "<Tensor>"}, {"name": "secret", "repr": "1"}]}]},
  {"pid": 11, "thread_name": "pin_memory", "os_thread_id": 12, "frames": [
    {"name": "get", "filename": "/usr/lib/python3.11/queue.py", "line": 7}]}])";

TEST(Look, TheMainThreadAndItsLoopsAreRead) {
  const Position position = position_in(kDump);
  ASSERT_THAT(position.stack, SizeIs(2));
  EXPECT_EQ(position.stack.front().function, "acquire");
  EXPECT_THAT(position.loops, ElementsAre(Pair("step", 41)));
}

TEST(Look, AnotherThreadThatMeetsTheRanksIsTheOneThatTrains) {
  constexpr std::string_view kTrainer = R"([
    {"pid": 11, "thread_name": "MainThread", "os_thread_id": 11, "frames": [{"name": "join", "filename": "a.py", "line": 1}]},
    {"pid": 11, "thread_name": "trainer", "os_thread_id": 12, "frames": [
      {"name": "all_reduce", "filename": "/v/torch/distributed/distributed_c10d.py", "line": 7}]}])";
  EXPECT_EQ(position_in(kTrainer).stack.front().function, "all_reduce");
}

TEST(Look, WhatIsNoDumpIsNoPosition) {
  for (const std::string_view text : {"", "[", "{}", "[1, null]", R"([{"frames": 3}])"})
    EXPECT_THAT(position_in(text).stack, IsEmpty()) << text;
}

TEST(Look, TheTimeSinceAThreadRanIsTheKernels) {
  const auto since =
      blocked_for("python (8393, #threads: 4)\nse.exec_start      :   1756951.200318\nse.vruntime : 3\n",
                  "1848.85 328.64\n");
  ASSERT_TRUE(since);
  EXPECT_NEAR(since->count(), 91.9, 0.01);
  EXPECT_FALSE(blocked_for("", "1848.85 328.64\n"));
  EXPECT_FALSE(blocked_for("se.exec_start : x\n", "1848.85\n"));
}

JobLook some_look() {
  JobLook look;
  look.job = {.key = "MASTER_PORT=1 ", .program = "train.py", .world_size = 4, .local_size = 2, .ranks = {}};
  RankLook rank{.process = {.pid = 11, .start_ticks = 5, .rank = 1, .command = "python train.py"},
                .host = "node-a",
                .doing = evidence::Doing::kPolls,
                .state = 'D',
                .waits_in = "do_poll",
                .blocked_for = Seconds(2.5),
                .swapped_bytes = 7};
  rank.rounds = {position_in(kDump), Position{}};
  look.ranks = {rank};
  look.watched = Seconds(2);
  look.limits = {"no stack of rank 3"};
  return look;
}

TEST(LookJson, ALookGoesToAnotherHostAndBack) {
  const std::string text = encode_looks({some_look()});
  const auto back = decode_looks(text, "node-a");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(encode_looks(back.value()), text);
  EXPECT_EQ(back.value().front().ranks.front().process, some_look().ranks.front().process);
}

TEST(LookJson, DamagedTextIsAnErrorOrLess) {
  const std::string text = encode_looks({some_look()});
  for (std::size_t length = 0; length < text.size() - 2; ++length)
    EXPECT_FALSE(decode_looks(text.substr(0, length), "x").ok()) << length;
  EXPECT_FALSE(decode_looks(R"({"schema": "other"})", "x").ok());
  const auto odd = decode_looks(
      R"({"schema":"lockstep-looks-v1","jobs":[3,{"ranks":[{"rank":-4,"rounds":7}],"watched_seconds":"x"}]})",
      "x");
  ASSERT_TRUE(odd.ok());
  EXPECT_FALSE(odd.value().back().ranks.front().process.rank);
}

TEST(Attach, TheRanksOfOneJobOnSeveralHostsAreJoined) {
  JobLook other = some_look();
  other.ranks.front().process.rank = 2;
  JobLook alone = some_look();
  alone.job.key = "parent 7";
  const auto joined = join({some_look(), other, alone, alone});
  ASSERT_THAT(joined, SizeIs(3));
  EXPECT_THAT(joined.front().ranks, SizeIs(2));
  EXPECT_EQ(joined.front().job.local_size, 4);
}

}  // namespace
}  // namespace lockstep::attach
