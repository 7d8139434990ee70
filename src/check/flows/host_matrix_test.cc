#include "check/flows/host_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::flows {
namespace {

using testing::HasSubstr;

std::vector<hostinfo::HostFacts> named(std::size_t count) {
  std::vector<hostinfo::HostFacts> hosts(count);
  for (std::size_t at = 0; at < count; ++at) hosts[at].name = "n" + std::to_string(at);
  return hosts;
}

// 'x' and '?' as they are written, everything else open.
HostMatrix folded(const std::vector<std::string>& cells) {
  network::BitMatrix blocked(cells.size());
  network::BitMatrix unknown(cells.size());
  for (std::size_t from = 0; from < cells.size(); ++from) {
    for (std::size_t to = 0; to < cells.size(); ++to) {
      if (cells[from][to] == kBlocked) blocked.set(from, to);
      if (cells[from][to] == kNotKnown) unknown.set(from, to);
    }
  }
  return fold(blocked, unknown, named(cells.size()));
}

TEST(HostMatrix, HostsThatAreAlikeStandInOneLine) {
  std::vector<std::string> cells(100, std::string(100, kOpen));
  for (std::size_t at = 0; at < 100; ++at) cells[at][7] = kBlocked;
  cells[7][3] = kNotKnown;
  const HostMatrix matrix = folded(cells);
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
  const HostMatrix matrix = folded(cells);
  ASSERT_EQ(matrix.lines.size(), 1U);
  EXPECT_EQ(matrix.lines[0].cells, "x");
}

TEST(HostMatrix, TheTextIsBounded) {
  std::vector<std::string> cells(60, std::string(60, kOpen));
  for (std::size_t at = 0; at < 60; ++at)
    for (std::size_t to = 0; to < at; ++to) cells[at][to] = kBlocked;
  EXPECT_THAT(to_text(folded(cells)), HasSubstr("and 20 more that differ"));
}

// Exchanging the two changes nothing.
bool are_alike(const std::vector<std::string>& cells, std::size_t one, std::size_t other) {
  if (cells[one][other] != cells[other][one]) return false;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    if (at == one || at == other) continue;
    if (cells[one][at] != cells[other][at] || cells[at][one] != cells[at][other]) return false;
  }
  return true;
}

RC_GTEST_PROP(HostMatrix, GroupsAreThoseOfAllPairsCompared, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 12);
  // Few kinds of hosts, so that many are alike, and one cell by chance.
  const auto kinds = *rc::gen::container<std::vector<std::size_t>>(size, rc::gen::inRange<std::size_t>(0, 3));
  const auto between = *rc::gen::container<std::string>(9, rc::gen::elementOf(std::string(".x?")));
  std::vector<std::string> cells(size, std::string(size, kOpen));
  for (std::size_t from = 0; from < size; ++from)
    for (std::size_t to = 0; to < size; ++to) cells[from][to] = between[kinds[from] * 3 + kinds[to]];
  const auto from = *rc::gen::inRange<std::size_t>(0, size);
  cells[from][*rc::gen::inRange<std::size_t>(0, size)] = *rc::gen::elementOf(std::string(".x?"));
  std::vector<std::vector<std::size_t>> expected;
  for (std::size_t host = 0; host < size; ++host) {
    std::size_t group = 0;
    while (group < expected.size() && !are_alike(cells, expected[group].front(), host)) ++group;
    if (group == expected.size()) expected.emplace_back();
    expected[group].push_back(host);
  }
  const HostMatrix matrix = folded(cells);
  RC_ASSERT(matrix.lines.size() == expected.size());
  for (std::size_t at = 0; at < expected.size(); ++at)
    RC_ASSERT(matrix.lines[at].count == expected[at].size());
}

}  // namespace
}  // namespace lockstep::flows
