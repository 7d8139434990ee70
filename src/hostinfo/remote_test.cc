#include "hostinfo/remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::hostinfo {
namespace {

using testing::ElementsAre;

RemoteRequest request_via(Via via, bool sends_itself) {
  RemoteRequest request;
  request.via = via;
  if (sends_itself) request.sent_to = "/tmp/lockstep-5e3f";
  request.arguments = {"--name=it's"};
  return request;
}

TEST(Remote, SshGetsOneLineForItsShell) {
  const auto commands = commands_for(request_via(Via::kSsh, false), "node1", "/bin/lockstep");
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].back(), R"('lockstep' 'facts' '--name=it'\''s')");
  EXPECT_EQ(commands[0][commands[0].size() - 2], "node1");
}

TEST(Remote, WhatIsSentGoesToAFolderMadeForItAndRemovesItself) {
  const auto commands = commands_for(request_via(Via::kSsh, true), "node1", "/bin/lockstep");
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[0].back(), "'mkdir' '-m' '700' '/tmp/lockstep-5e3f-0'");
  EXPECT_EQ(commands[1].back(), "node1:/tmp/lockstep-5e3f-0/lockstep");
  EXPECT_THAT(commands[2].back(),
              testing::StartsWith("'/tmp/lockstep-5e3f-0/lockstep' 'facts' '--remove-itself'"));
  EXPECT_THAT(commands_for(request_via(Via::kSrun, true), "node1", "/b").back(),
              testing::IsSupersetOf({"--bcast=/tmp/lockstep-5e3f-0", "/b", "facts", "--remove-itself"}));
}

TEST(Remote, PodsAreNamedWithTheirNamespace) {
  EXPECT_THAT(
      commands_for(request_via(Via::kKubectl, false), "train/worker-0", "/b").back(),
      ElementsAre("kubectl", "exec", "-n", "train", "worker-0", "--", "lockstep", "facts", "--name=it's"));
}

TEST(Remote, LaunchersStartOneRankThere) {
  EXPECT_THAT(
      commands_for(request_via(Via::kMpirun, true), "node1", "/b").back(),
      ElementsAre("mpirun", "--host", "node1", "-np", "1", "--preload-binary", "/b", "facts", "--name=it's"));
  EXPECT_THAT(commands_for(request_via(Via::kSrun, false), "node1", "/b").back(),
              ElementsAre("srun", "--nodelist", "node1", "--nodes=1", "--ntasks=1", "--overlap", "lockstep",
                          "facts", "--name=it's"));
}

TEST(Remote, AnotherVerbThatIsTalkedToKeepsItsInput) {
  RemoteRequest request;
  request.via = Via::kKubectl;
  request.verb = "probe-agent";
  request.is_talked_to = true;
  EXPECT_THAT(
      commands_for(request, "train/worker-0", "/b").back(),
      ElementsAre("kubectl", "exec", "-i", "-n", "train", "worker-0", "--", "lockstep", "probe-agent"));
  request.sent_to = "/tmp/lockstep-5e3f";
  const auto commands = commands_for(request, "train/worker-0", "/b");
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_THAT(commands[0], ElementsAre("kubectl", "exec", "-n", "train", "worker-0", "--", "mkdir", "-m",
                                       "700", "/tmp/lockstep-5e3f-0"));
  EXPECT_THAT(commands[1],
              ElementsAre("kubectl", "cp", "/b", "train/worker-0:/tmp/lockstep-5e3f-0/lockstep"));
  EXPECT_THAT(commands[2], ElementsAre("kubectl", "exec", "-i", "-n", "train", "worker-0", "--",
                                       "/tmp/lockstep-5e3f-0/lockstep", "probe-agent", "--remove-itself"));
}

TEST(Remote, AHostThatCannotBeAskedIsAnError) {
  RemoteRequest request = request_via(Via::kSsh, false);
  request.hosts = {"no-such-host.invalid"};
  const auto answers = collect_from(request);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_FALSE(answers[0].facts.ok());
}

}  // namespace
}  // namespace lockstep::hostinfo
