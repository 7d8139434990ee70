#include "readers/log_marks.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::readers {
namespace {

RC_GTEST_PROP(LogMarks, stand_where_a_plain_search_finds_them, ()) {
  std::string text(*rc::gen::inRange<std::size_t>(0, 2 * LogMarks::kBlock), '.');
  for (const std::size_t mark :
       *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 6))) {
    text += *rc::gen::element<std::string>("\n", " ", "Python", "NCCL WARN ", "(most recent call last):");
    text += kLogMarks[mark];
  }
  text += *rc::gen::element<std::string>("", "\n", "3.10");
  const LogMarks marks = marks_in(text, false);
  for (std::size_t mark = 0; mark < kLogMarks.size(); ++mark)
    RC_ASSERT(marks.first[mark] == text.find(kLogMarks[mark]));
}

TEST(LogMarks, tell_the_blocks_with_lines_of_nccl) {
  std::string text(3 * LogMarks::kBlock, '.');
  const std::string_view line = "\nhost:1:2 [0] NCCL INFO x\n";
  text.replace(LogMarks::kBlock + 1000, line.size(), line);
  EXPECT_EQ(marks_in(text, false).has_nccl, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(marks_in(text, false).lines.line_at(text, text.size()), 3);
}

}  // namespace
}  // namespace lockstep::readers
