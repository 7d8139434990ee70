#include "facts/remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::facts {
namespace {

using testing::ElementsAre;

RemoteRequest request_via(Via via, bool sends_itself) {
  RemoteRequest request;
  request.via = via;
  request.sends_itself = sends_itself;
  request.arguments = {"--name=it's"};
  return request;
}

TEST(Remote, SshGetsOneLineForItsShell) {
  const auto commands = commands_for(request_via(Via::kSsh, false), "node1", "/bin/lockstep");
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].back(), R"('lockstep' 'facts' '--name=it'\''s')");
  EXPECT_EQ(commands[0][commands[0].size() - 2], "node1");
  EXPECT_EQ(commands_for(request_via(Via::kSsh, true), "node1", "/bin/lockstep").size(), 2U);
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
  request.sends_itself = true;
  EXPECT_THAT(commands_for(request, "worker-0", "/b").front(),
              ElementsAre("kubectl", "cp", "/b", "worker-0:/tmp/lockstep-probe-agent"));
}

TEST(Remote, AHostThatCannotBeAskedIsAnError) {
  RemoteRequest request = request_via(Via::kSsh, false);
  request.hosts = {"no-such-host.invalid"};
  const auto answers = collect_from(request);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_FALSE(answers[0].facts.ok());
}

}  // namespace
}  // namespace lockstep::facts
