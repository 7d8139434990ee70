#include "check/probe/agents.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/net/address.h"
#include "check/probe/agent.h"
#include "check/probe/sockets.h"

namespace lockstep::probe {
namespace {

// More of them than anybody would keep, and none leaves.
TEST(Agents, WhoSaysNothingKeepsNoAgentOut) {
  rlimit limit{};  // both sides of each connection are of this process
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  Agents agents("token");
  const auto port = agents.listen(0);
  ASSERT_TRUE(port.ok());
  const auto nothing = [](std::size_t, const Message&) {};
  std::vector<process::Descriptor> silent;
  const SocketAddress to(base::ipv4(0x7f000001), port.value());
  for (int at = 0; at < 1100; ++at) {
    silent.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(silent.back().get(), to.get(), to.size), 0);
    if (at % 100 == 99)
      agents.attend(
          nothing, [] { return false; }, Agents::Clock::now() + std::chrono::milliseconds(50));
  }
  bool ended_well = false;
  std::thread agent([&] {
    auto link = connect_to("127.0.0.1:" + std::to_string(port.value()));
    if (!link.ok()) return;
    process::Descriptor out(::dup(link.value().get()));
    AgentOptions options;
    options.token = "token";
    options.version = "1";
    options.in = std::move(link).value();
    options.out = std::move(out);
    options.longest = std::chrono::seconds(60);
    ended_well = serve_as_agent(std::move(options)).ok();
  });
  const bool has_come = agents.attend(
      nothing, [&] { return agents.size() == 1; }, Agents::Clock::now() + std::chrono::seconds(60));
  EXPECT_TRUE(has_come) << "sooner than those who say nothing are sent away";
  if (has_come) agents.send(0, Bye{});
  agents.attend(
      nothing, [&] { return agents.size() == 0 || agents.is_gone(0); },
      Agents::Clock::now() + std::chrono::seconds(has_come ? 10 : 0));
  agent.join();
  EXPECT_TRUE(ended_well);
}

}  // namespace
}  // namespace lockstep::probe
