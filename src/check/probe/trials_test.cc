#include "check/probe/trials.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "check/probe/hosts_for_tests.h"

namespace lockstep::probe {
namespace {

using hostinfo::HostFacts;
using network::Reach;

std::vector<HostFacts> open_hosts(std::size_t count) {
  std::vector<HostFacts> hosts;
  for (std::size_t at = 0; at < count; ++at) hosts.push_back(host_for_tests(at));
  return hosts;
}

TrialPlan planned(const std::vector<HostFacts>& hosts) {
  return plan_trials(mesh_for_tests(hosts), hosts, std::vector<bool>(hosts.size(), true));
}

TEST(Trials, AllPairsWithOneListenerForEachHost) {
  const auto hosts = open_hosts(5);
  const TrialPlan plan = planned(hosts);
  EXPECT_EQ(plan.trials.size(), 20U);
  EXPECT_EQ(plan.listeners.size(), 5U);
  EXPECT_EQ(std::ranges::count_if(plan.trials, &Trial::is_first), 1);  // all are alike
  EXPECT_EQ(plan.trials[0].large_bytes, 3000U);
}

TEST(Trials, ABlockedPortIsTriedWhereThereIsOne) {
  auto hosts = open_hosts(3);
  hosts[1] = host_for_tests(
      1, ":INPUT ACCEPT [0:0]\n-A INPUT -s 10.0.0.1/32 -p tcp -m tcp --dport 1050:1060 -j DROP\n");
  TrialPlan plan = planned(hosts);
  const auto found = std::ranges::find_if(
      plan.trials, [](const Trial& trial) { return trial.source == 0 && trial.destination == 1; });
  ASSERT_NE(found, plan.trials.end());
  EXPECT_EQ(found->predicted, Reach::kBlocked);
  EXPECT_TRUE(found->is_first);
  Listener& listener = plan.listeners[found->listener];
  EXPECT_EQ(listener.ports, (network::PortRange{1050, 1060}));
  listener.port = 1055;
  EXPECT_EQ(plan.expected(*found), Reach::kBlocked);
  listener.port = 1049;
  EXPECT_EQ(plan.expected(*found), Reach::kOpen);
}

TEST(Trials, AFirewallThatWasNotSeenPredictsNothing) {
  auto hosts = open_hosts(2);
  hosts[1].firewall.was_seen = false;
  TrialPlan plan = planned(hosts);
  for (Listener& listener : plan.listeners) listener.port = 1030;
  for (const Trial& trial : plan.trials) EXPECT_EQ(plan.expected(trial), Reach::kUnknown);
}

TEST(Trials, HostsWithoutAnAgentAreCounted) {
  const auto hosts = open_hosts(3);
  const TrialPlan plan = plan_trials(mesh_for_tests(hosts), hosts, {true, false, true});
  EXPECT_EQ(plan.trials.size(), 2U);
  EXPECT_EQ(plan.without_agent, 4U);
}

TEST(Trials, BeyondTwoHundredHostsOneOfEachKindAndAllThatAreExpectedToFail) {
  EXPECT_EQ(planned(open_hosts(200)).left_out, 0U);
  auto hosts = open_hosts(201);
  hosts[7] = host_for_tests(7, ":INPUT DROP [0:0]\n-A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT\n");
  const TrialPlan plan = planned(hosts);
  EXPECT_EQ(plan.trials.size() + plan.left_out, hosts.size() * (hosts.size() - 1));
  EXPECT_EQ(std::ranges::count(plan.trials, Reach::kBlocked, &Trial::predicted),
            static_cast<std::ptrdiff_t>(hosts.size() - 1));
  EXPECT_LE(plan.trials.size(), hosts.size() + 2);
  EXPECT_GT(plan.left_out, 0U);
}

TEST(Trials, RdmaIsNotTried) {
  const auto hosts = open_hosts(2);
  flows::FlowPlan flows = mesh_for_tests(hosts);
  flows::RequiredFlow rdma = flows.meshes[0].flow(0, 1);
  rdma.flow.passes_firewall = false;
  flows.flows.push_back(rdma);
  const TrialPlan plan = plan_trials(flows, hosts, {true, true});
  EXPECT_EQ(plan.not_tcp, 1U);
  EXPECT_EQ(plan.trials.size(), 2U);
}

TEST(MeasuringRounds, EveryPairOnceAndNoHostTwiceInARound) {
  for (const std::size_t hosts : {0, 1, 2, 3, 8, 13}) {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const MeasuringRound& round : measuring_rounds(hosts)) {
      std::set<std::size_t> busy;
      for (const auto& pair : round) {
        EXPECT_TRUE(seen.insert(pair).second);
        EXPECT_TRUE(busy.insert(pair.first).second);
        EXPECT_TRUE(busy.insert(pair.second).second);
      }
    }
    EXPECT_EQ(seen.size(), hosts * (hosts - (hosts > 0 ? 1 : 0)));
  }
}

}  // namespace
}  // namespace lockstep::probe
