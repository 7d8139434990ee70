#include "diagnose/logs/line_sources.h"

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::logs {
namespace {

// Lines of four ranks that take turns, as `line_of(rank, step)` writes them.
template <typename LineOf>
std::vector<std::string> taking_turns(const LineOf& line_of) {
  std::vector<std::string> lines;
  for (int step = 0; step < 12; ++step) {
    for (int rank = 0; rank < 4; ++rank) lines.push_back(line_of((rank * 3 + step) % 4, step));
  }
  return lines;
}

LearnedPrefix learned_from(const std::vector<std::string>& lines) {
  return learn_prefix(std::vector<std::string_view>(lines.begin(), lines.end()));
}

TEST(LearnedPrefix, FindsRanksInAnyWriting) {
  const auto with = [](std::string before, std::string after) {
    return learned_from(taking_turns([&](int rank, int step) {
      return before + std::to_string(rank) + after + " step " + std::to_string(step) + " loss 2.3";
    }));
  };
  EXPECT_EQ(with("<gpu", ">").rank_of("<gpu2> RuntimeError"), 2);
  EXPECT_EQ(with("node=", " |").rank_of("node=3 | x"), 3);
  EXPECT_EQ(with("train (proc ", ")").rank_of("train (proc 1) x"), 1);
  EXPECT_EQ(with("proc/", ":").rank_of("proc/0: x"), 0);
  EXPECT_EQ(with("<gpu", ">").rank_of("RuntimeError: 3"), std::nullopt);
}

TEST(LearnedPrefix, FindsHosts) {
  const auto learned = learned_from(taking_turns([](int rank, int step) {
    return "ip-10-0-0-" + std::to_string(40 + 7 * rank) + " INFO step " + std::to_string(step);
  }));
  EXPECT_EQ(learned.host_of("ip-10-0-0-47 ERROR x"), "ip-10-0-0-47");
  EXPECT_FALSE(learned.rank);
}

TEST(LearnedPrefix, TakesNoCounterForARank) {
  std::vector<std::string> lines;
  for (int step = 0; step < 60; ++step)
    lines.push_back("step " + std::to_string(step) + " of 60, 10:00:" + std::to_string(10 + step % 50));
  EXPECT_FALSE(learned_from(lines).rank);
  EXPECT_FALSE(learned_from(lines).host);
}

TEST(LearnedPrefix, NeedsEnoughLines) {
  EXPECT_FALSE(learned_from({"<gpu0> a", "<gpu1> b", "<gpu0> c", "<gpu1> d"}).rank);
}

// Eight ranks in one log, each line with a clock in front, as `before` writes it at that second.
std::set<int> ranks_in_log(const std::function<std::string(int second)>& before,
                           const std::string& rank_word) {
  std::string log;
  for (int line = 0; line < 400; ++line) {
    const int rank = (line * 5 + line / 8 * 3) % 8;
    log += before(line / 7 % 60) + rank_word + std::to_string(rank) + " step " + std::to_string(line / 8) +
           " loss 2.31\n";
  }
  const LogText text{.name = "job.log", .bytes = log, .rank = std::nullopt};
  return LineSources({&text, 1}).ranks();
}

std::string two_digits_of(int number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

TEST(LineSources, SecondsThreadsAndProcessIdsAreNoRanks) {
  const std::set<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto clock = [](std::string head, std::string tail) {
    return [=](int second) { return head + two_digits_of(second) + tail; };
  };
  for (const auto& before :
       {clock("[2026-11-18 03:00:", "] INFO trainer.py:211 "), clock("2026-11-18T03:00:", ".512Z "),
        clock("03:00:", ",123 | "), clock("18/Nov/2026:03:00:", " "), clock("Nov 18 03:00:", " node-a "),
        clock("1763434800.", " "), clock("[Wed Nov 18 03:00:", " 2026] ")}) {
    EXPECT_EQ(ranks_in_log(before, "rank="), all) << before(7);
    EXPECT_EQ(ranks_in_log(before, "pid="), std::set<int>()) << before(7);
    EXPECT_EQ(ranks_in_log(before, "Thread-"), std::set<int>()) << before(7);
  }
}

// However the ranks take turns and whatever their clocks say.
RC_GTEST_PROP(LineSources, TheRanksDependOnNoOrderAndNoClock, ()) {
  const int count = *rc::gen::inRange(2, 17);
  const std::string tag = *rc::gen::element<std::string>("rank=", "rank ", "node-a/", "worker");
  const int start = *rc::gen::inRange(0, 60);
  const int lines_a_second = *rc::gen::inRange(1, 50);
  std::vector<int> order;
  for (int rank = 0; rank < count; ++rank) order.insert(order.end(), 30, rank);
  std::mt19937 shuffling(static_cast<unsigned>(*rc::gen::inRange(0, 1'000'000)));
  std::ranges::shuffle(order, shuffling);
  std::string log;
  for (std::size_t line = 0; line < order.size(); ++line) {
    const int jitter = static_cast<int>(shuffling() % 3);
    const int second = (start + static_cast<int>(line) / lines_a_second + jitter) % 60;
    log += "[2026-11-18 03:00:" + two_digits_of(second) + "] INFO trainer.py:211 " + tag +
           std::to_string(order[line]) + " step 7 loss 2.31\n";
  }
  const LogText text{.name = "job.log", .bytes = log, .rank = std::nullopt};
  std::set<int> all;
  for (int rank = 0; rank < count; ++rank) all.insert(rank);
  RC_ASSERT(LineSources({&text, 1}).ranks() == all);
}

RC_GTEST_PROP(LearnedPrefix, NeverFailsOnAnyLines, (const std::vector<std::string>& lines)) {
  const LearnedPrefix learned = learned_from(lines);
  for (const std::string& line : lines) RC_ASSERT(learned.rank_of(line).value_or(0) >= 0);
}

}  // namespace
}  // namespace lockstep::logs
