#include "base/lines.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::base {
namespace {

RC_GTEST_PROP(LineMarks, numbers_lines_as_counting_from_the_start_does, ()) {
  const auto unit = *rc::gen::container<std::string>(rc::gen::element('a', '\n', 'b', '\r'));
  std::string text;
  for (int i = 0; i < 700; ++i) text += unit;
  LineMarks marks;
  for (std::size_t begin = 0; begin + 1000 <= text.size(); begin += 1000)
    marks.add(begin + 1000, count_lines(std::string_view(text).substr(begin, 1000)));
  const auto offset = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  const auto counted = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  RC_ASSERT(marks.line_at(text, offset) == 1 + counted);
}

TEST(LineMarks, counts_more_lines_than_a_byte_can) {
  EXPECT_EQ(count_lines(std::string(100'000, '\n')), 100'000);
}

}  // namespace
}  // namespace lockstep::base
