#include "service/engine/heartbeat.h"

#include <chrono>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

class HeartbeatTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lockstep_heartbeat_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "rank_0.alive"; }
  fs::path folder_;
};

TEST_F(HeartbeatTest, GoesOnWhileTheWrapperLives) {
  const Heartbeat heart(file(), 1234);
  const auto first = read_heartbeat(file());
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->started_ms, 1234);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (read_heartbeat(file())->last_ms == first->last_ms) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "no second beat";
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST_F(HeartbeatTest, ARankThatHasNotBegunHasNone) {
  EXPECT_FALSE(read_heartbeat(file()).has_value());
  std::ofstream(file()) << "no number";
  EXPECT_FALSE(read_heartbeat(file()).has_value());
}

}  // namespace
}  // namespace lockstep::service
