#include "replay/compare/tensor_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<NamedTensor> layers() {
  return parameters_in(
      {{"parameters 0", "0.weight 128\n0.bias 16\n"}, {"parameters 1", "2.weight 16\nodd\n2.bias 1"}});
}

TEST(TensorNames, ABucketIsItsParameters) {
  EXPECT_THAT(names_by_size(layers(), 161), ElementsAre("0.weight", "0.bias", "2.weight", "2.bias"));
  EXPECT_THAT(names_by_size(layers(), 17), ElementsAre("2.weight", "2.bias"));
  EXPECT_THAT(names_by_size(layers(), 128), ElementsAre("0.weight"));
}

TEST(TensorNames, AGuessIsNotMade) {
  EXPECT_THAT(names_by_size(layers(), 16), IsEmpty());
  EXPECT_THAT(names_by_size(layers(), 99), IsEmpty());
  EXPECT_THAT(names_by_size(layers(), 0), IsEmpty());
  EXPECT_THAT(names_by_size(parameters_in({}), 4), IsEmpty());
}

}  // namespace
}  // namespace lockstep::replay
