#include "symptoms/line.h"

#include <string>

#include <gtest/gtest.h>

#include "symptoms/line_origin.h"

namespace lockstep::symptoms {
namespace {

std::string line_at(std::string_view bytes, std::size_t offset) {
  const LineSpan span = line_around(bytes, offset);
  return std::string(bytes.substr(span.begin, span.end - span.begin));
}

TEST(Line, EndsAtNewlinesAndCarriageReturns) {
  constexpr std::string_view kText = "one\n 10%\r 20%\r\nthree";
  EXPECT_EQ(line_at(kText, 1), "one");
  EXPECT_EQ(line_at(kText, 6), " 10%");
  EXPECT_EQ(line_at(kText, 11), " 20%");
  EXPECT_EQ(line_at(kText, 16), "three");
  EXPECT_EQ(line_number(kText, 11), 2);
  EXPECT_EQ(line_number(kText, 16), 3);
}

TEST(Line, OfManyMegabytesIsCutAroundThePlace) {
  const std::string huge(10 << 20, 'x');
  const LineSpan span = line_around(huge, 5 << 20);
  EXPECT_LE(span.end - span.begin, 2 * kLongestLine);
  EXPECT_LE(span.begin, std::size_t{5} << 20);
  EXPECT_GT(span.end, std::size_t{5} << 20);
}

TEST(Line, TerminalCodesAreDropped) {
  EXPECT_EQ(without_terminal_codes("\x1b[1;31mError\x1b[0m: x\x1b"), "Error: x");
  EXPECT_EQ(without_terminal_codes("\x1b[31"), "");
}

struct PrefixCase {
  std::string_view line;
  std::optional<int> rank;
};

class Prefix : public testing::TestWithParam<PrefixCase> {};

TEST_P(Prefix, SaysTheRank) {
  EXPECT_EQ(origin_of_line(GetParam().line).rank, GetParam().rank) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    Launchers, Prefix,
    testing::Values(PrefixCase{"[rank3]: Traceback (most recent call last):", 3},
                    PrefixCase{"[rank12]:[E ProcessGroupNCCL.cpp:563] [Rank 5] Watchdog caught", 12},
                    PrefixCase{"[default7]:  File \"x.py\"", 7},
                    PrefixCase{"[1,12]<stderr>:[host:1] *** Process", 12},
                    PrefixCase{"Thu Oct  1 12:00:00 2020[3]<stderr>:Traceback", 3},
                    PrefixCase{"[0]<stdout>:Number of GPUs: 1", 0}, PrefixCase{" 5: error: x", 5},
                    PrefixCase{"[worker-2]:    E0622 16:47:05", 2},
                    PrefixCase{"[pod/job-worker-4/pytorch] Traceback", 4},
                    PrefixCase{"[2021-12-07 10:42:15] 1d0cefc1 [rank=1] || error", 1},
                    PrefixCase{"(BaseHorovodWorker pid=14896) *** SIGSEGV", std::nullopt},
                    PrefixCase{"[E ProcessGroupNCCL.cpp:475] [Rank 1] Watchdog caught", std::nullopt},
                    PrefixCase{"", std::nullopt}));

TEST(Prefix, OfRayNamesTheHost) {
  EXPECT_EQ(origin_of_line("(train pid=7, ip=10.0.0.9) loss 3").host, "10.0.0.9");
}

}  // namespace
}  // namespace lockstep::symptoms
