#include "service/engine/nodes/pulse.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "service/engine/heartbeat.h"

namespace lockstep::service {
namespace {

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
