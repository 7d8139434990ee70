#include "replay/subject.h"

#include <filesystem>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::replay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uid_t kSomebodyElse = 4'000'000;  // whom no machine of ours knows

class WarningOfStranger : public ::testing::Test {
 protected:
  WarningOfStranger() {
    std::string name = "/tmp/lockstep-subject-XXXXXX";
    subject_.recording = ::mkdtemp(name.data());
    subject_.job.ranks.emplace_back();
    record::PayloadProcess& process = subject_.job.ranks.back().process.emplace();
    process.arguments = {"python", "train.py", "--evil=\x1b[2J"};
    process.folder = "/home/eve";
  }
  ~WarningOfStranger() override { std::filesystem::remove_all(subject_.recording); }

  Subject subject_;
  Request request_;
};

TEST_F(WarningOfStranger, NoneOfOnesOwn) {
  EXPECT_EQ(warning_of_stranger(subject_, request_, ::geteuid()), std::nullopt);
}

// As root, the folder is given to somebody else; as anybody else, the question is asked for somebody else.
TEST_F(WarningOfStranger, NamesWhoMadeItAndShowsTheCommand) {
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::chown(subject_.recording.c_str(), kSomebodyElse, 0), 0);
  }
  const auto warning = warning_of_stranger(subject_, request_, is_root ? 0 : kSomebodyElse);
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, HasSubstr(is_root ? "made by user 4000000" : "made by "));
  EXPECT_THAT(*warning, HasSubstr("train.py"));
  EXPECT_THAT(*warning, HasSubstr("in /home/eve"));
  EXPECT_THAT(*warning, Not(HasSubstr("\x1b"))) << "what it holds is not the terminal's to run";
}

}  // namespace
}  // namespace lockstep::replay
