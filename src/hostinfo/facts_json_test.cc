#include "hostinfo/facts_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::hostinfo {
namespace {

HostFacts full_facts() {
  HostFacts facts;
  facts.name = "node1";
  facts.full_name = "node1.cluster.example";
  facts.boot_id = "1b2c";
  facts.namespaces = {{"net", "net:[4026531840]"}};
  facts.by_root = true;
  facts.interfaces = {{.index = 2,
                       .name = "eth0",
                       .kind = "veth",
                       .mtu = 9000,
                       .is_up = true,
                       .is_running = true,
                       .speed_mbps = 10000,
                       .addresses = {{.prefix = *base::parse_prefix("10.0.0.7/24"), .scope = "global"},
                                     {.prefix = *base::parse_prefix("fe80::1/64"), .scope = "link"}}}};
  facts.routes = {{.destination = *base::parse_prefix("0.0.0.0/0"),
                   .gateway = base::parse_address("10.0.0.1"),
                   .interface = "eth0",
                   .metric = 100,
                   .mtu = 1400}};
  facts.policy_rules = {{.priority = 100, .from = base::parse_prefix("10.1.0.0/16"), .table = "100"}};
  facts.neighbours.ipv4_limit = 1024;
  facts.names = {{.name = "node2", .any = {*base::parse_address("10.0.0.8")}, .ipv6_error = "no such name"}};
  facts.listening = {{.address = *base::parse_address("::"), .port = 29500, .program = "python3"}};
  facts.firewall = {.was_seen = true,
                    .nftables = base::Json{{"nftables", base::Json::array()}},
                    .iptables = {{IptablesKind::kLegacy, true, "*filter\nCOMMIT\n"}}};
  facts.sysctls = {{"net.core.somaxconn", "4096"}};
  facts.limits = {{"memlock", {.soft = 65536, .hard = std::nullopt}}, {"nofile", {}}};
  facts.shared_memory = SharedMemory{.total_bytes = 64 << 20, .free_bytes = 1, .device = 22};
  facts.machine.cpu_quota = 1.5;
  facts.machine.removes_ipc = true;
  facts.programs = {{"orted", "/usr/bin/orted"}, {"prted", ""}};
  facts.nccl_plugin = {.name = "libnccl-net.so", .path = "/opt/lib/libnccl-net.so"};
  facts.services = {"nv-fabricmanager"};
  facts.gpus = {
      .gpus = {{.index = 1, .uuid = "GPU-1", .memory_bytes = 80}}, .switches = 4, .driver = "550.54"};
  facts.rdma_devices = {
      {"mlx5_0", {{.number = 1, .state = "ACTIVE", .gids = {{3, "fe80::1", "RoCE v2", "eth0"}}}}}};
  facts.versions = {{"torch", "2.13.0"}};
  facts.environment = {{"NCCL_SOCKET_IFNAME", "eth0"}, {"EMPTY", ""}};
  facts.clock = {.wall_ns = 17, .is_synchronised = true, .offset_ns = -5};
  facts.unseen = {"gpus: no driver"};
  return facts;
}

TEST(FactsJson, EveryMemberSurvivesWritingAndReading) {
  const auto again = decode_facts(encode_facts(full_facts()), "here");
  ASSERT_TRUE(again.ok()) << again.error().why;
  EXPECT_EQ(again.value(), full_facts());
}

TEST(FactsJson, AMemberOfTheWrongKindIsNamedAndTheRestKept) {
  const auto facts = decode_facts(
      R"({"schema": "lockstep-facts-v1", "host": "a", "by_root": 3,
          "interfaces": [{"name": "eth0", "mtu": -4}, {"name": "eth1", "mtu": 1500, "unheard_of": 1}]})",
      "here");
  ASSERT_TRUE(facts.ok());
  ASSERT_EQ(facts.value().interfaces.size(), 1U);
  EXPECT_EQ(facts.value().interfaces[0].name, "eth1");
  EXPECT_THAT(facts.value().unseen,
              testing::ElementsAre("facts: by_root is not true or false",
                                   "facts: interfaces[0].mtu is not a number in range"));
}

TEST(FactsJson, OtherDocumentsAreRefused) {
  EXPECT_FALSE(decode_facts(R"({"schema": "lockstep-findings-v1", "host": "a"})", "here").ok());
  EXPECT_FALSE(decode_facts("[1]", "here").ok());
  EXPECT_FALSE(decode_facts(R"({"schema": "lockstep-facts-v1"})", "here").ok());
}

TEST(HostFacts, AddressesComeInTheKernelsOrder) {
  HostFacts facts = full_facts();
  facts.interfaces.push_back(
      {.index = 3, .name = "eth1", .addresses = {{.prefix = *base::parse_prefix("10.1.0.7/24")}}});
  std::vector<std::string> names;
  for (const LocalAddress& local : addresses_in_kernel_order(facts))
    names.push_back(to_text(local.address->prefix.address));
  EXPECT_THAT(names, testing::ElementsAre("10.0.0.7", "10.1.0.7", "fe80::1"));
}

}  // namespace
}  // namespace lockstep::hostinfo
