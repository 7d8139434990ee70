#include "report/html/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::html {

namespace {

using base::Json;
using ::testing::IsEmpty;

TEST(HostTable, IsReadAsItWasWritten) {
  const std::vector<HostRow> rows = {{"a", " x", {{1, "rule 3 drops it"}}}, {"b and 2 like it", ".?"}};
  EXPECT_EQ(decode_host_rows(encode(rows)), rows);
}

TEST(HostTable, IsNothingUnlessItIsASquareOfKnownMarks) {
  const Json row = {{"hosts", "a"}, {"cells", ".x"}};
  EXPECT_THAT(decode_host_rows(Json::array({row})), IsEmpty());
  EXPECT_THAT(decode_host_rows(Json::array({row, {{"hosts", "b"}, {"cells", "<!"}}})), IsEmpty());
  EXPECT_THAT(decode_host_rows(Json::array({row, 5})), IsEmpty());
  EXPECT_THAT(decode_host_rows({{"a", 1}}), IsEmpty());
}

TEST(HostTable, ReasonsForCellsThatAreNotThereAreLeftOut) {
  const Json rows =
      Json::array({{{"hosts", "a"}, {"cells", "x"}, {"why", {{"0", "y"}, {"7", "z"}, {"-1", "z"}}}}});
  EXPECT_EQ(decode_host_rows(rows), (std::vector<HostRow>{{"a", "x", {{0, "y"}}}}));
}

using base::Json;
using ::testing::ElementsAre;

Json pair(const char* from, const char* to, double bandwidth) {
  return {{"from", from}, {"to", to}, {"latency_us", 40.5}, {"megabytes_per_s", bandwidth}};
}

TEST(HostMeasures, NamesHostsOnceAndKeepsWhatWasNotOpen) {
  const Json probe = {
      {"pairs", Json::array({pair("a", "b", 900), pair("b", "a", 800)})},
      {"failures",
       Json::array({{{"from", "c"}, {"to", "a"}, {"port", 1024}, {"end", "silent"}, {"needed_by", {"MPI"}}},
                    {{"from", "b"}, {"to", "a"}, {"port", 1025}, {"end", "open"}}})}};
  const HostMeasures made = measures_in(probe);
  EXPECT_THAT(made.hosts, ElementsAre("a", "b", "c"));
  ASSERT_EQ(made.pairs.size(), 2U);
  EXPECT_EQ(made.pairs[1].from, 1U);
  EXPECT_EQ(made.pairs[1].megabytes_per_s, 800);
  ASSERT_EQ(made.failures.size(), 1U);
  EXPECT_EQ(made.failures[0].from, 2U);
  EXPECT_EQ(made.failures[0].port, 1024);
  EXPECT_THAT(made.failures[0].needed_by, ElementsAre("MPI"));
}

TEST(HostMeasures, PassesOverWhatDoesNotFit) {
  const Json probe = {
      {"pairs",
       Json::array(
           {pair("a", "b", -1), pair("", "b", 5), 7, {{"from", 1}, {"to", "b"}, {"latency_us", "x"}}})},
      {"failures", "none"}};
  EXPECT_TRUE(measures_in(probe).empty());
  EXPECT_TRUE(measures_in(Json::array()).empty());
  EXPECT_TRUE(measures_in(nullptr).empty());
}

TEST(HostMeasures, OfTooManyHostsTheSlowestStay) {
  Json pairs = Json::array();
  for (const auto& [from, to, bandwidth] :
       {std::tuple{"a", "b", 900.0}, {"b", "c", 800.0}, {"c", "d", 3.0}, {"d", "a", 900.0}})
    pairs.push_back(pair(from, to, bandwidth));
  const HostMeasures made = measures_in({{"pairs", pairs}}, 2);
  EXPECT_THAT(made.hosts, ElementsAre("c", "d"));
  ASSERT_EQ(made.pairs.size(), 1U);
  EXPECT_EQ(made.pairs[0].megabytes_per_s, 3.0);
  EXPECT_EQ(made.pairs[0].to, 1U);
  EXPECT_EQ(made.hosts_left_out, 2U);
}

}  // namespace

}  // namespace lockstep::html
