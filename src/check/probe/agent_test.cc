// Two agents of this process and the one who tells them, on real sockets of this host.
#include "check/probe/agent.h"

#include <cerrno>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "check/probe/handshake.h"
#include "check/probe/sockets.h"

namespace lockstep::probe {
namespace {

using std::chrono::seconds;

const base::Address kHere = base::ipv4(0x7f000001);

class RunningAgent {
 public:
  explicit RunningAgent(const std::string& token) : RunningAgent(token, token) {}
  RunningAgent(const std::string& own_token, const std::string& its_token) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    link_.emplace(multihost::Side::kHead, own_token, process::Descriptor(ends[0]),
                  process::Descriptor(::dup(ends[0])));
    AgentOptions options;
    options.token = its_token;
    options.version = "1";
    options.in = process::Descriptor(ends[1]);
    options.out = process::Descriptor(::dup(ends[1]));
    options.collect_facts = [](const AskFacts& asked) { return "facts of " + asked.names.at(0); };
    thread_ = std::thread([this, options = std::move(options)]() mutable {
      ended_well_ = serve_as_agent(std::move(options)).ok();
    });
  }
  ~RunningAgent() {
    link_.reset();
    if (thread_.joinable()) thread_.join();
  }

  void send(const Message& message) { link_->send(message); }
  template <typename M>
  std::optional<M> await() {
    const auto deadline = std::chrono::steady_clock::now() + seconds(30);
    while (!link_->is_over() && std::chrono::steady_clock::now() < deadline) {
      link_->exchange();
      if (const auto message = link_->next())
        if (const auto* wanted = std::get_if<M>(&*message)) return *wanted;
      std::vector<pollfd> polled;
      link_->add_to(polled);
      ::poll(polled.data(), polled.size(), 100);
    }
    return std::nullopt;
  }
  bool ends_well() {
    link_.reset();
    thread_.join();
    return ended_well_;
  }
  // When the agent has decided to.
  bool ended_by_itself() {
    thread_.join();
    return ended_well_;
  }
  ControlLink& link() { return *link_; }

 private:
  std::optional<ControlLink> link_;
  std::thread thread_;
  bool ended_well_ = false;
};

std::uint16_t listen_on(RunningAgent& agent, std::uint32_t number) {
  agent.send(Listen{.own_number = number,
                    .orders = {{.id = 1, .address = kHere, .first_port = 20000, .last_port = 60000}}});
  const auto listening = agent.await<Listening>();
  EXPECT_TRUE(listening && listening->results.size() == 1 && listening->results[0].error == 0);
  return listening ? listening->results[0].port : 0;
}

Call call_to(std::uint16_t port, std::uint32_t host) {
  CallOrder order;
  order.id = 5;
  order.host = host;
  order.destination = kHere;
  order.port = port;
  order.large_bytes = 40000;
  order.echoes = 4;
  order.stream_bytes = 1 << 20;
  return {.timeout_ms = 1000, .retry_timeout_ms = 2000, .at_once = 4, .orders = {order}};
}

TEST(Agent, CallsAnotherAndTellsWhatCameOfIt) {
  RunningAgent a("token");
  RunningAgent b("token");
  ASSERT_TRUE(a.await<Hello>() && b.await<Hello>());
  const std::uint16_t port = listen_on(b, 1);
  a.send(call_to(port, 1));
  const auto called = a.await<Called>();
  ASSERT_TRUE(called && called->outcomes.size() == 1);
  EXPECT_EQ(called->outcomes[0].end, End::kOpen);
  EXPECT_EQ(called->outcomes[0].answered_by, 1U);
  EXPECT_EQ(called->outcomes[0].attempts, 1);
  EXPECT_GT(called->outcomes[0].latency_ns, 0U);
  EXPECT_GT(called->outcomes[0].bytes_per_s, 0U);
  EXPECT_TRUE(b.ends_well());
  a.send(call_to(port, 1));  // nobody listens there any more
  const auto refused = a.await<Called>();
  ASSERT_TRUE(refused && refused->outcomes.size() == 1);
  EXPECT_EQ(refused->outcomes[0].end, End::kRefused);
  EXPECT_EQ(refused->outcomes[0].error, ECONNREFUSED);
  EXPECT_EQ(refused->outcomes[0].attempts, 2);
}

TEST(Agent, TellsFactsAndEndsWhenTold) {
  RunningAgent agent("token");
  agent.send(AskFacts{{"node7"}, ""});
  const auto facts = agent.await<Facts>();
  EXPECT_TRUE(facts && facts->json == "facts of node7");
  agent.send(Bye{});
  agent.link().exchange();
  EXPECT_TRUE(agent.ended_by_itself());
}

TEST(Agent, BelievesNobodyWithAnotherToken) {
  RunningAgent agent("token", "other");
  EXPECT_EQ(agent.await<Hello>(), std::nullopt);
  EXPECT_FALSE(agent.ends_well());
}

TEST(Agent, HostileBytesToItsPortChangeNothing) {
  RunningAgent a("token");
  RunningAgent b("token");
  const std::uint16_t port = listen_on(b, 1);
  const SocketAddress to(kHere, port);
  for (int at = 0; at < 300; ++at) {
    const process::Descriptor hostile(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(hostile.get(), to.get(), to.size), 0);
    const std::string bytes = std::string(at % 3 == 0 ? kKnockWord : "GET / HTTP/1.1\r\n") +
                              std::string(static_cast<std::size_t>(at) * 37, static_cast<char>(at));
    ::send(hostile.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  a.send(call_to(port, 1));
  const auto called = a.await<Called>();
  ASSERT_TRUE(called && called->outcomes.size() == 1);
  EXPECT_EQ(called->outcomes[0].end, End::kOpen);
}

// More of them than it has places, and none leaves.
TEST(Agent, WhoSaysNothingKeepsNobodyOut) {
  rlimit limit{};  // both sides of each connection are of this process
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  RunningAgent a("token");
  RunningAgent b("token");
  const std::uint16_t port = listen_on(b, 1);
  const SocketAddress to(kHere, port);
  std::vector<process::Descriptor> silent;
  for (int at = 0; at < 700; ++at) {
    silent.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(silent.back().get(), to.get(), to.size), 0);
  }
  a.send(call_to(port, 1));
  const auto called = a.await<Called>();
  ASSERT_TRUE(called && called->outcomes.size() == 1);
  EXPECT_EQ(called->outcomes[0].end, End::kOpen);
}

TEST(Agent, AWrongHostIsNoticed) {
  RunningAgent a("token");
  const std::uint16_t port = listen_on(a, 3);
  a.send(call_to(port, 8));
  const auto called = a.await<Called>();
  ASSERT_TRUE(called && called->outcomes.size() == 1);
  EXPECT_EQ(called->outcomes[0].end, End::kWrongHost);
  EXPECT_EQ(called->outcomes[0].answered_by, 3U);
}

}  // namespace
}  // namespace lockstep::probe
