#include "report/html/host_table.h"

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

}  // namespace
}  // namespace lockstep::html
