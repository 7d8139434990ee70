#include "check/probe/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/probe/hosts_for_tests.h"
#include "check/probe/probing.h"

namespace lockstep::probe {
namespace {

using testing::HasSubstr;

constexpr const char* kDrops = ":INPUT ACCEPT [0:0]\n-A INPUT -p tcp -m tcp --dport 1000:2000 -j DROP\n";

// Two hosts; what became of the call from the first to the second, the way back being open.
struct Probed {
  std::vector<hostinfo::HostFacts> hosts;
  Probing probing;
  flows::FlowJudgement judgement;

  Probed(const std::string& rules, End end) : hosts({host_for_tests(0), host_for_tests(1, rules)}) {
    probing.plan = plan_trials(mesh_for_tests(hosts), hosts, {true, true});
    probing.hosts = 2;
    for (Listener& listener : probing.plan.listeners) listener.port = 1030;
    for (Trial& trial : probing.plan.trials) {
      trial.outcome.end = trial.destination == 1 ? end : End::kOpen;
      trial.outcome.attempts = is_open(trial.outcome.end) ? 1 : 2;
    }
  }
  std::vector<std::string> codes() {
    judge(probing, hosts, judgement);
    std::vector<std::string> codes;
    for (const model::Finding& finding : judgement.findings) codes.push_back(finding.code.text());
    return codes;
  }
};

using Codes = std::vector<std::string>;

TEST(Judge, WhatIsAsPredictedIsNoFinding) {
  EXPECT_EQ(Probed("", End::kOpen).codes(), Codes{});
  EXPECT_EQ(Probed("", End::kOpenToOther).codes(), Codes{});
  EXPECT_EQ(Probed(kDrops, End::kSilent).codes(), Codes{});
  EXPECT_EQ(Probed("", End::kNotTried).codes(), Codes{});
}

TEST(Judge, EachSurpriseHasItsCode) {
  EXPECT_EQ(Probed("", End::kSilent).codes(), Codes{"check.probe_blocked"});
  EXPECT_EQ(Probed("", End::kRefused).codes(), Codes{"check.probe_blocked"});
  EXPECT_EQ(Probed(kDrops, End::kOpen).codes(), Codes{"check.probe_open"});
  EXPECT_EQ(Probed("", End::kLargeLost).codes(), Codes{"check.path_mtu"});
  EXPECT_EQ(Probed("", End::kLargeLostBack).codes(), Codes{"check.path_mtu"});
  EXPECT_EQ(Probed("", End::kWrongHost).codes(), Codes{"check.wrong_host"});
}

TEST(Judge, PacketsDecideHowSureAFindingIs) {
  const auto confidence = [](Probed probed) {
    EXPECT_EQ(probed.codes().size(), 1U);
    return probed.judgement.findings.at(0).confidence;
  };
  EXPECT_DOUBLE_EQ(confidence(Probed("", End::kSilent)), 0.97);
  EXPECT_DOUBLE_EQ(confidence(Probed("", End::kLargeLost)), 0.97);
  EXPECT_DOUBLE_EQ(confidence(Probed("", End::kWrongHost)), 0.97);
  EXPECT_DOUBLE_EQ(confidence(Probed(kDrops, End::kOpen)), 0.6);
}

TEST(Judge, WhereNothingWasPredictedPacketsDecideUnderTheStacksOwnCode) {
  Probed probed("", End::kSilent);
  for (Trial& trial : probed.probing.plan.trials) trial.predicted = network::Reach::kUnknown;
  EXPECT_EQ(probed.codes(), Codes{"setup.mpi_tcp"});
  EXPECT_THAT(probed.judgement.findings[0].evidence.at(0).text, HasSubstr("h0 to h1"));
  EXPECT_EQ(tally(probed.probing.plan).without_prediction, 2U);
}

TEST(Judge, AFindingOfTheRulesSaysWhatPacketsSay) {
  for (const End end : {End::kSilent, End::kOpen}) {
    Probed probed(kDrops, end);
    model::Finding by_rules;
    by_rules.code = "setup.mpi_tcp";
    by_rules.confidence = 0.97;
    probed.judgement.findings.push_back(by_rules);
    probed.judgement.stacks.emplace_back("MPI");
    probed.codes();
    const auto& findings = probed.judgement.findings;
    const auto found = std::ranges::find_if(
        findings, [](const model::Finding& one) { return one.code == model::codes::kSetupMpiTcp; });
    ASSERT_NE(found, findings.end());
    EXPECT_DOUBLE_EQ(found->confidence, end == End::kSilent ? 0.97 : 0.3);
    EXPECT_THAT(found->explanation, HasSubstr("such connections are blocked indeed"));
  }
}

TEST(Report, TellsHowManyWereAsPredicted) {
  Probed probed("", End::kSilent);
  probed.probing.measures = {{0, 1, 80'000, 1'000'000'000}};
  const std::vector<std::string> names = {"h0", "h1"};
  EXPECT_THAT(to_text(probed.probing, names), HasSubstr("2 connections tried between 2 hosts"));
  EXPECT_THAT(to_text(probed.probing, names), HasSubstr("1 as predicted, 1 not"));
  const base::Json json = to_json(probed.probing, names, true);
  EXPECT_EQ(json["contradicting"], 1);
  EXPECT_EQ(json["failures"][0]["end"], "silent");
  EXPECT_EQ(json["failures"][0]["address"], "10.0.0.2");
  EXPECT_EQ(json["pairs"][0]["latency_us"], 80.0);
  EXPECT_FALSE(to_json(probed.probing, names, false)["failures"][0].contains("address"));
}

}  // namespace
}  // namespace lockstep::probe
