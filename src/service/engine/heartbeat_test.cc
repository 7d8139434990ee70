#include "service/engine/heartbeat.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

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

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Pulse, OnlyARankThatBeganAndHasNotEndedCanBeSilent) {
  const AttemptFolder folder{std::filesystem::path(testing::TempDir()) / "pulse"};
  std::filesystem::remove_all(folder.path);
  std::filesystem::create_directories(folder.ranks());
  {
    const Heartbeat first(folder.sign_of_life(0), 1);
    const Heartbeat second(folder.sign_of_life(1), 1);
  }
  Pulse pulse(folder, 3);
  const auto then = Pulse::Clock::now();
  const auto later = then + std::chrono::seconds(20);
  pulse.feel(then);
  pulse.feel(later);
  EXPECT_THAT(pulse.silent_for(std::chrono::seconds(30), later), IsEmpty());
  EXPECT_THAT(pulse.silent_for(std::chrono::seconds(8), later), ElementsAre(0, 1));
  ASSERT_TRUE(base::write_file(folder.rank_end(1), "{}").ok());
  pulse.feel(later);
  EXPECT_THAT(pulse.silent_for(std::chrono::seconds(8), later), ElementsAre(0));
  std::filesystem::remove_all(folder.path);
}

}  // namespace

}  // namespace lockstep::service
