#include "readers/log_file.h"

#include <string_view>

#include <gtest/gtest.h>

namespace lockstep::readers {
namespace {

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

}  // namespace
}  // namespace lockstep::readers
