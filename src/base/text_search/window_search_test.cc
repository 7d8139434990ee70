#include "base/text_search/window_search.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::base {
namespace {

RC_GTEST_PROP(WindowSearch, finds_the_same_with_and_without_vectors, ()) {
  const auto mix = *rc::gen::arbitrary<std::uint32_t>() | 1U;
  WindowBits bits;
  for (const std::uint32_t window : *rc::gen::container<std::vector<std::uint32_t>>(
           *rc::gen::inRange<std::size_t>(0, 4000), rc::gen::arbitrary<std::uint32_t>()))
    bits.add(hash_of_window(window, mix));
  const auto text =
      *rc::gen::container<std::string>(kRunOfWindows * kWindowBytes, rc::gen::arbitrary<char>());
  RC_ASSERT(wanted_windows(bits, mix, text.data()) == wanted_windows_one_by_one(bits, mix, text.data()));
}

TEST(WindowSearch, finds_each_window_that_was_added) {
  constexpr std::uint32_t kMix = 0x9E3779B1U;
  WindowBits bits;
  bits.add(hash_of_window(0x20202020U | 0x61616161U, kMix));
  for (std::size_t place = 0; place < kRunOfWindows; ++place) {
    std::string text(kRunOfWindows * kWindowBytes, '.');
    text.replace(place * kWindowBytes, kWindowBytes, "AaAa");
    EXPECT_EQ(wanted_windows(bits, kMix, text.data()), std::uint64_t{1} << place);
  }
}

}  // namespace
}  // namespace lockstep::base
