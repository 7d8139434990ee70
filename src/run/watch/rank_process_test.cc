#include "run/watch/rank_process.h"

#include <limits>
#include <unistd.h>

#include <gtest/gtest.h>

namespace lockstep::watch {

namespace {

TEST(RankProcess, KnowsNothingOfAProcessThatDoesNotHaveTheFile) {
  const RankProcess process(::getpid(), "/proc/version");
  EXPECT_FALSE(process.is_here());
  EXPECT_FALSE(process.has_ended());
  EXPECT_FALSE(process.sample());
}

TEST(RemoteProcess, ComesBackAsItWas) {
  using Lead = std::numeric_limits<std::int64_t>;
  for (const RemoteProcess& process :
       {RemoteProcess{}, RemoteProcess{.state = 'T', .cpu_ticks = 17, .clock_lead_ns = -5},
        RemoteProcess{.state = 'X',
        .cpu_ticks = std::numeric_limits<std::uint64_t>::max(),
        .clock_lead_ns = Lead::min()}}) {
    EXPECT_EQ(encode(process).size(), kRemoteProcessBytes);
    EXPECT_EQ(decode_remote_process(encode(process)), process);
  }
}

TEST(RemoteProcess, HalfALineIsNone) {
  EXPECT_EQ(decode_remote_process(""), std::nullopt);
  EXPECT_EQ(decode_remote_process(encode(RemoteProcess{}).substr(1)), std::nullopt);
  EXPECT_EQ(decode_remote_process("S                    x                    0\n"), std::nullopt);
}

TEST(RemoteProcess, IsHiddenBesideTheRecordFile) {
  EXPECT_EQ(remote_process_file("/r/rank_00002.restart_0.lockstep"), "/r/.rank_00002.restart_0.process");
}

}  // namespace

}  // namespace lockstep::watch
