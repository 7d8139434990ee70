#include "preflight/host_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::preflight {
namespace {

using testing::HasSubstr;

std::vector<network::HostFacts> named(std::size_t count) {
  std::vector<network::HostFacts> hosts(count);
  for (std::size_t at = 0; at < count; ++at) hosts[at].name = "n" + std::to_string(at);
  return hosts;
}

TEST(HostMatrix, HostsThatAreAlikeStandInOneLine) {
  std::vector<std::string> cells(100, std::string(100, kOpen));
  for (std::size_t at = 0; at < 100; ++at) cells[at][7] = kBlocked;
  cells[7][3] = kNotKnown;
  const HostMatrix matrix = fold(cells, named(100));
  ASSERT_EQ(matrix.lines.size(), 3U);
  EXPECT_EQ(matrix.lines[0].hosts, "n0 and 97 like it");
  EXPECT_EQ(matrix.lines[0].cells, "..x");
  EXPECT_EQ(matrix.lines[1].hosts, "n3");
  EXPECT_EQ(matrix.lines[1].cells, ". x");
  EXPECT_EQ(matrix.lines[2].cells, ".? ");
  EXPECT_THAT(to_text(matrix), HasSubstr("               n7   2  .  ?   \n"));
}

TEST(HostMatrix, HostsThatDoNotReachEachOtherAreAlikeToo) {
  const std::vector<std::string> cells = {".xx", "x.x", "xx."};
  const HostMatrix matrix = fold(cells, named(3));
  ASSERT_EQ(matrix.lines.size(), 1U);
  EXPECT_EQ(matrix.lines[0].cells, "x");
}

TEST(HostMatrix, TheTextIsBounded) {
  std::vector<std::string> cells(60, std::string(60, kOpen));
  for (std::size_t at = 0; at < 60; ++at)
    for (std::size_t to = 0; to < at; ++to) cells[at][to] = kBlocked;
  EXPECT_THAT(to_text(fold(cells, named(60))), HasSubstr("and 20 more that differ"));
}

}  // namespace
}  // namespace lockstep::preflight
