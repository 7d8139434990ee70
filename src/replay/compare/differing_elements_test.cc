#include "replay/compare/differing_elements.h"

#include <array>

#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

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
