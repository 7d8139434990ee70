#include "replay/compare/call_details.h"

#include <array>

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

TEST(DifferingElements, AreCountedOnceHoweverManyOfTheirBytesDiffer) {
  const std::array<float, 4> first{1, 2, 3, 4};
  const std::array<float, 4> second{1, -2.5F, 3, 4.0000005F};
  const auto bytes = [](const std::array<float, 4>& numbers) { return std::as_bytes(std::span(numbers)); };
  EXPECT_EQ(count_differing(bytes(first), bytes(second), sizeof(float)), (ElementCount{2, 4}));
  EXPECT_EQ(count_differing(bytes(first), bytes(first), sizeof(float)), (ElementCount{0, 4}));
}

TEST(DifferingElements, AreNotCountedWhereARunHasNoSuchResult) {
  const record::Payload nothing;
  EXPECT_EQ(differing_elements({nothing, ""}, {nothing, ""}, {}, 4), std::nullopt);
}

}  // namespace

}  // namespace lockstep::replay
