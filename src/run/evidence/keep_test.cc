#include "run/evidence/keep.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/process/folder_for_tests.h"

namespace lockstep::evidence {
namespace {

Account account_of_a_hang() {
  Account account;
  account.host.name = "node/7";
  Testimony waiting;
  waiting.subject = {.rank = 3, .restart = 1, .pid = 4711};
  waiting.facts.state = 'S';
  waiting.facts.resident_bytes = 10;
  waiting.python_stacks = "Current thread 0x1 (most recent call first):\n";
  Testimony gone;
  gone.subject = {.rank = std::nullopt, .restart = 0, .pid = 4712};
  gone.native_stacks = "#0  poll ()\n";
  account.processes = {waiting, gone};
  account.limits = {"pid 4712: no Python stacks: it is gone"};
  return account;
}

TEST(Keep, PutsFactsAndStacksWhereReadersTellTheirRank) {
  const process::FolderForTests folder;
  ASSERT_TRUE(keep(account_of_a_hang(), folder.path()).ok());
  EXPECT_EQ(process::text_of(folder.path() / "stacks/rank_00003.restart_1.python.txt"),
            "Current thread 0x1 (most recent call first):\n");
  EXPECT_EQ(process::text_of(folder.path() / "stacks/pid_4712.native.txt"), "#0  poll ()\n");
  const auto json =
      base::parse_json(process::text_of(folder.path() / "host_node_7.json"), "host_node_7.json");
  ASSERT_TRUE(json.ok());
  const base::Json& told = json.value();
  EXPECT_EQ(told["schema"], "lockstep-host-v1");
  EXPECT_EQ(told["processes"][0]["rank"], 3);
  EXPECT_EQ(told["processes"][0]["state"], "sleeps");
  EXPECT_EQ(told["processes"][0]["resident_bytes"], 10);
  EXPECT_EQ(told["processes"][1]["state"], "is gone");
  EXPECT_FALSE(told["processes"][1].contains("rank"));
  EXPECT_FALSE(told.contains("at_begin"));
  EXPECT_EQ(told["limits"][0], "pid 4712: no Python stacks: it is gone");
}

TEST(Keep, WithoutStacksThereIsNoFolderForThem) {
  const process::FolderForTests folder;
  ASSERT_TRUE(keep(Account{}, folder.path()).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "stacks"));
}

TEST(Keep, WhatAnEarlierFaultLeftIsGone) {
  const process::FolderForTests folder;
  Account account = account_of_a_hang();
  account.host.kernel_lines = {"Killed process 4711 (python3)", "Killed process 99 (firefox)"};
  ASSERT_TRUE(keep(account, folder.path()).ok());
  EXPECT_EQ(process::text_of(folder.path() / "kernel_node_7.log"), "Killed process 4711 (python3)\n");
  account.processes[0].python_stacks.clear();
  account.host.kernel_lines.clear();
  ASSERT_TRUE(keep(account, folder.path()).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "kernel_node_7.log"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "stacks/rank_00003.restart_1.python.txt"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "stacks/pid_4712.native.txt"));
}

TEST(Keep, AFolderThatCannotBeWrittenIsAnError) {
  const process::FolderForTests folder;
  EXPECT_FALSE(keep(account_of_a_hang(), folder.path() / "missing").ok());
}

}  // namespace
}  // namespace lockstep::evidence
