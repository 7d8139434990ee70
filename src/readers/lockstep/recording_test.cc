#include "readers/lockstep/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::readers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Source account_source(std::string_view text) {
  return {.name = "host_a.json", .path = "/rec/host_a.json", .bytes = text};
}

constexpr std::string_view kAccount =
    R"({"schema": "lockstep-host-v1", "host": "a", "processes": [{"rank": 3, "state": "is gone"}],
        "limits": ["rank 3 (pid 7): no Python stacks: it is gone", 7]})";

TEST(HostAccount, TellsWhatCouldNotBeCollectedAndAccusesNobody) {
  ASSERT_TRUE(recognises_host_account(account_source(kAccount)));
  const model::Job job = read_host_account(account_source(kAccount));
  EXPECT_THAT(job.limits, ElementsAre("rank 3 (pid 7): no Python stacks: it is gone"));
  EXPECT_THAT(job.ranks, IsEmpty());
}

TEST(HostAccount, ThatWasCutIsALimit) {
  const Source cut = account_source(kAccount.substr(0, kAccount.size() - 5));
  ASSERT_TRUE(recognises_host_account(cut));
  EXPECT_THAT(read_host_account(cut).limits, ElementsAre("host_a.json: cut, so what it says is not known"));
}

TEST(HostAccount, OtherJsonIsNone) {
  EXPECT_FALSE(recognises_host_account(account_source(R"({"schema": "lockstep-findings-v1"})")));
  EXPECT_FALSE(recognises_host_account(account_source(R"(say "lockstep-host-v1")")));
}

}  // namespace
}  // namespace lockstep::readers
