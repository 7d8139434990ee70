#include "run/multihost/token.h"

#include <cstdlib>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/file.h"

namespace lockstep::multihost {
namespace {

namespace fs = std::filesystem;

class TokenTest : public testing::Test {
 protected:
  TokenTest() {
    char name[] = "/tmp/lockstep-token-XXXXXX";
    home_ = ::mkdtemp(name);
  }
  ~TokenTest() override { fs::remove_all(home_); }

  TokenSource source() const { return {.file = {}, .environment = {"HOME=" + home_.string()}}; }
  fs::path own() const { return home_ / ".config/lockstep/token"; }

  fs::path home_;
};

TEST_F(TokenTest, IsMadeOnceForTheOwnerAlone) {
  EXPECT_FALSE(find_token(source()).ok());
  const auto made = find_or_make_token(source());
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made.value().size(), 64U);
  EXPECT_EQ(find_or_make_token(source()).value(), made.value());
  EXPECT_EQ(find_token(source()).value(), made.value());
  struct stat status {};
  ASSERT_EQ(::stat(own().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(TokenTest, OneThatOthersMayReadIsNotTaken) {
  ASSERT_TRUE(find_or_make_token(source()).ok());
  ::chmod(own().c_str(), 0644);
  EXPECT_NE(find_token(source()).error().why.find("chmod 600"), std::string::npos);
}

TEST_F(TokenTest, WhatTheUserGivesComesFirst) {
  TokenSource given = source();
  given.environment.push_back("LOCKSTEP_TOKEN=from-the-environment");
  EXPECT_EQ(find_or_make_token(given).value(), "from-the-environment");
  EXPECT_FALSE(fs::exists(own())) << "none is made when one is given";
  given.file = home_ / "file";
  EXPECT_FALSE(find_token(given).ok()) << "a named file that is not there is no reason to take another token";
  ASSERT_TRUE(base::write_file(*given.file, "from-a-named-file\n").ok());
  EXPECT_EQ(find_token(given).value(), "from-a-named-file");
}

TEST_F(TokenTest, AShortOneIsRefused) {
  TokenSource given = source();
  given.environment.push_back("LOCKSTEP_TOKEN=secret");
  EXPECT_FALSE(find_token(given).ok());
}

}  // namespace
}  // namespace lockstep::multihost
