#include "readers/log_file.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::readers {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

bool is_log(std::string_view name, std::string_view bytes) {
  return looks_like_a_log({.name = std::string(name), .path = name, .bytes = bytes});
}

TEST(LogFile, IsWhatAJobPrinted) {
  EXPECT_TRUE(is_log("rank_0.err", "Traceback (most recent call last):\n"));
  EXPECT_TRUE(is_log("job", "<host>:<pid> NCCL WARN something\n"));
  EXPECT_TRUE(is_log("train.log", "{'loss': 0.3}\n"));
}

TEST(LogFile, IsNeitherAProgramNorDataNorBinary) {
  EXPECT_FALSE(is_log("train.py", "raise RuntimeError('x')\n"));
  EXPECT_FALSE(is_log("config.yaml", "error: false\n"));
  EXPECT_FALSE(is_log("report", "<html><body>\n"));
  EXPECT_FALSE(is_log("weights", "\x80\0\0binary"sv));
}

TEST(LogFile, MayHaveZerosInIt) {
  const std::string line = "torch.cuda.OutOfMemoryError: CUDA out of memory.\n";
  EXPECT_TRUE(is_log("a.log", line + '\0'));
  EXPECT_TRUE(is_log("a.log", line + "x\0\n"s));
  EXPECT_TRUE(is_log("a.log", std::string(4096, '\0') + line)) << "emptied under its writer";
  EXPECT_TRUE(is_log("a.log", std::string(1 << 20, '\0') + line));
  EXPECT_TRUE(is_log("a.log", line + std::string(3000, '\0') + line)) << "lost by the file system";
}

TEST(LogFile, IsNoDataThoughSomeOfItReads) {
  EXPECT_FALSE(is_log("zeros", std::string(100'000, '\0')));
  EXPECT_FALSE(is_log("a.out",
                      "\x7f"
                      "ELF\2\1\1\0\0\0\0/lib64/ld-linux-x86-64.so.2\n"s));
  EXPECT_FALSE(is_log("names", "one\0two\0three\0four\n"s));
}

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
