#include "check/repair/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/repair/open_firewalls.h"
#include "hostinfo/facts_json.h"

namespace lockstep::repair {
namespace {

using base::Family;
using hostinfo::HostFacts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

hostinfo::Interface interface_of(int index, const std::string& name, const std::string& prefix) {
  hostinfo::Interface made;
  made.index = index;
  made.name = name;
  made.mtu = 1500;
  made.is_up = made.is_running = true;
  made.is_loopback = name == "lo";
  hostinfo::InterfaceAddress address;
  address.prefix = *base::parse_prefix(prefix);
  address.scope = "global";
  made.addresses.push_back(address);
  return made;
}

void add_interface(HostFacts& host, const std::string& name, const std::string& prefix) {
  host.interfaces.push_back(interface_of(static_cast<int>(host.interfaces.size()) + 1, name, prefix));
  const base::Prefix own = *base::parse_prefix(prefix);
  hostinfo::Route route;
  route.destination = {own.first(), own.length};
  route.interface = name;
  route.source = own.address;
  host.routes.push_back(route);
  hostinfo::Route local;
  local.table = "local";
  local.kind = "local";
  local.destination = {own.address, own.address.bits()};
  local.interface = name;
  host.routes.push_back(local);
}

// Hosts n0, n1, ... on 10.1.0.0/24 by eth0 and on a network of their own by docker0; names resolve to eth0.
std::vector<HostFacts> some_hosts(std::size_t count) {
  std::vector<HostFacts> hosts(count);
  for (std::size_t i = 0; i < count; ++i) {
    HostFacts& host = hosts[i];
    host.name = host.full_name = "n" + std::to_string(i);
    host.boot_id = std::to_string(i);
    host.by_root = true;
    host.firewall.was_seen = true;
    for (const char* table : {"local", "main"}) {
      hostinfo::PolicyRule rule;
      rule.priority = table == std::string("local") ? 0 : 32766;
      rule.table = table;
      host.policy_rules.push_back(rule);
    }
    add_interface(host, "lo", "127.0.0.1/8");
    add_interface(host, "docker0", "172.17.0.1/16");
    add_interface(host, "eth0", "10.1.0." + std::to_string(i + 1) + "/24");
    for (std::size_t k = 0; k < count; ++k) {
      hostinfo::ResolvedName name;
      name.name = "n" + std::to_string(k);
      const auto address = *base::parse_address("10.1.0." + std::to_string(k + 1));
      name.any = name.ipv4 = name.ipv6 = {address};
      host.names.push_back(name);
    }
  }
  return hosts;
}

struct Job {
  std::vector<HostFacts> hosts;
  config::Words command = {};
  std::map<std::string, std::string> files = {};
  std::map<std::string, std::string, std::less<>> environment = {};
};

Situation situation_of(const Job& job) {
  config::Inputs inputs;
  inputs.command = job.command;
  inputs.environment = job.environment;
  for (const auto& [name, text] : job.files)
    if (name.ends_with(".sh") || name.ends_with(".yaml")) inputs.files.push_back(name);
  inputs.read_file = [files = job.files](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return Error{"cannot read", path, "not there", ""};
    return found->second;
  };
  std::vector<rules::HostDocument> documents;
  for (const HostFacts& host : job.hosts)
    documents.push_back(
        {host.name + ".json", base::parse_json(hostinfo::encode_facts(host), host.name).value()});
  return make_situation(std::move(inputs), std::move(documents));
}

Repair repair_of(const Job& job) {
  return find_repair(situation_of(job));
}

config::Words torchrun(const std::string& master) {
  return {"torchrun", "--nnodes", "2", "--node-rank", "0", "--master-addr", master, "train.py"};
}

std::vector<std::string> commands_of(const Repair& repair) {
  std::vector<std::string> commands;
  for (const HostChange& change : repair.hosts) commands.push_back(change.host + ": " + change.command);
  return commands;
}

void point_to_loopback(HostFacts& host) {
  for (hostinfo::ResolvedName& name : host.names)
    if (name.name == host.name) name.any = name.ipv4 = {*base::parse_address("127.0.1.1")};
}

TEST(Repair, HealthyJobNeedsNone) {
  const Repair repair = repair_of({some_hosts(2), torchrun("n0")});
  EXPECT_THAT(repair.in_the_way, IsEmpty());
  EXPECT_TRUE(repair.empty()) << to_text(repair);
}

// Of two hosts the larger address connects: 127.0.1.1 to 10.1.0.1, but not from one to the other.
TEST(Repair, NamesGloosInterfaceWhereTheNamesOfTwoHostsAreLoopback) {
  Job job{some_hosts(3), torchrun("10.1.0.1")};
  point_to_loopback(job.hosts[1]);
  EXPECT_TRUE(repair_of(job).empty()) << to_text(repair_of(job));
  point_to_loopback(job.hosts[2]);
  const Repair repair = repair_of(job);
  EXPECT_THAT(commands_of(repair), ElementsAre(HasSubstr("export GLOO_SOCKET_IFNAME=eth0")))
      << to_text(repair);
}

TEST(Repair, TakesAwayAnInterfaceThatOneHostDoesNotHave) {
  Job job{some_hosts(1), {"python3", "train.py"}};
  job.environment = {{"RANK", "0"},
                     {"WORLD_SIZE", "2"},
                     {"MASTER_ADDR", "127.0.0.1"},
                     {"MASTER_PORT", "29500"},
                     {"GLOO_SOCKET_IFNAME", "ib7"}};
  const Repair repair = repair_of(job);
  EXPECT_THAT(commands_of(repair), ElementsAre("n0: unset GLOO_SOCKET_IFNAME")) << to_text(repair);
  ASSERT_FALSE(repair.hosts.empty());
  EXPECT_EQ(repair.hosts[0].value_before, "ib7");
  ASSERT_FALSE(repair.mended.empty());
  EXPECT_EQ(repair.mended[0].rule, "N14");
  EXPECT_EQ(repair.mended[0].code, "setup.gloo_interface");
}

TEST(Repair, NamesALoopbackHostInAHostFile) {
  Job job{some_hosts(2), {"mpirun", "-np", "2", "--hostfile", "hosts", "./t"}};
  job.files["hosts"] = "# ours\nlocalhost slots=1\nn1 slots=1  # the other\n";
  const Repair repair = repair_of(job);
  ASSERT_EQ(repair.files.size(), 1U) << to_text(repair);
  EXPECT_EQ(repair.files[0].after, "# ours\nn0 slots=1\nn1 slots=1  # the other\n");
}

TEST(Repair, AddsANameToAHostsFile) {
  const std::string start = R"(#!/bin/sh
export TF_CONFIG='{"cluster":{"worker":["n0:12345","n1:12345"]},"task":{"type":"worker","index":)";
  Job job{
      some_hosts(2), {}, {{"a.sh", start + "0}}'\npython t.py\n"}, {"b.sh", start + "1}}'\npython t.py\n"}}};
  for (hostinfo::ResolvedName& name : job.hosts[1].names)
    if (name.name == "n0") name = {.name = "n0", .any_error = "Name or service not known"};
  job.hosts[1].files["/etc/hosts"] = "127.0.0.1 localhost\n10.1.0.2 n1\n10.1.0.9 n0 # old\n";
  const Repair repair = repair_of(job);
  ASSERT_EQ(repair.hosts.size(), 1U) << to_text(repair);
  EXPECT_EQ(repair.hosts[0].host, "n1");
  EXPECT_EQ(repair.hosts[0].file.after, "127.0.0.1 localhost\n10.1.0.2 n1\n10.1.0.9 # old\n10.1.0.1 n0\n");
  EXPECT_THAT(repair.hosts[0].command, HasSubstr("'10.1.0.1 n0' > /etc/hosts"));
}

TEST(Repair, MergesAHostThatIsListedTwice) {
  Job job{some_hosts(2), {"horovodrun", "-np", "3", "-H", "n0,n1,n1", "python", "t.py"}};
  EXPECT_THAT(to_text(repair_of(job)), HasSubstr("-H n0,n1:2"));
}

TEST(Repair, ReadsTheSlotsOfABrokenLine) {
  Job job{some_hosts(2), {"deepspeed", "--hostfile", "hosts", "t.py"}};
  job.files["hosts"] = "n0 slots=2\nn1 gpus 2\n";
  const Repair repair = repair_of(job);
  ASSERT_EQ(repair.files.size(), 1U) << to_text(repair);
  EXPECT_EQ(repair.files[0].after, "n0 slots=2\nn1 slots=2\n");
}

TEST(Repair, GivesAnAddressForALoopbackMaster) {
  const Repair repair = repair_of({some_hosts(2), torchrun("127.0.0.1")});
  EXPECT_THAT(repair.command, Not(IsEmpty())) << to_text(repair);
  EXPECT_THAT(to_text(repair), HasSubstr("--master-addr 10.1.0.1"));
}

TEST(Repair, TakesAFreePort) {
  Job job{some_hosts(2), torchrun("n0")};
  job.hosts[0].listening.push_back({*base::parse_address("0.0.0.0"), 29500, "python"});
  EXPECT_THAT(to_text(repair_of(job)), HasSubstr("--master-port 29501"));
}

TEST(Repair, GivesEachScriptARankOfItsOwn) {
  const std::string script =
      "#!/bin/sh\nexport RANK=0 WORLD_SIZE=2 MASTER_ADDR=n0 MASTER_PORT=29500\npython t.py\n";
  const Repair repair = repair_of({some_hosts(2), {}, {{"a.sh", script}, {"b.sh", script}}});
  ASSERT_EQ(repair.files.size(), 1U) << to_text(repair);
  EXPECT_EQ(repair.files[0].file, "b.sh");
  EXPECT_THAT(repair.files[0].after, HasSubstr("export RANK=1 WORLD_SIZE=2"));
}

// The same in blocks and in one line.
constexpr const char* kManifest = R"(apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  parallelism: 2
  template:
    metadata: {labels: {app: t}}
    spec:
      hostNetwork: true
      subdomain: job
      containers: [{name: c, image: i}]
---
apiVersion: v1
kind: Service
metadata: {name: other}
spec: {clusterIP: None}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny}
spec:
  podSelector: {matchLabels: {app: t}}
  policyTypes: [Ingress]
)";

TEST(Repair, PatchesAManifest) {
  const Repair repair = repair_of({{}, {}, {{"job.yaml", kManifest}}});
  ASSERT_EQ(repair.files.size(), 1U) << to_text(repair);
  EXPECT_THAT(repair.in_the_way, IsEmpty());
  const std::string& after = repair.files[0].after;
  EXPECT_THAT(after,
              HasSubstr("    spec:\n      dnsPolicy: ClusterFirstWithHostNet\n      hostNetwork: true\n"));
  EXPECT_THAT(after, HasSubstr("      subdomain: other\n"));
  EXPECT_THAT(after, HasSubstr("  ingress: [{from: [{podSelector: {matchLabels: {app: t}}}]}]\n"));
}

TEST(Repair, PatchesAManifestBetweenBraces) {
  const std::string manifest =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  parallelism: 2\n"
      "  template: {metadata: {labels: {app: t}, annotations: {sidecar.istio.io/inject: 'true'}},\n"
      "    spec: {containers: [{name: c, image: i, env: [{name: MASTER_ADDR, value: m}]}]}}\n---\n"
      "apiVersion: v1\nkind: Service\nmetadata: {name: m}\nspec: {ports: [{port: 29500}]}\n---\n"
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: deny}\n"
      "spec: {podSelector: {}, policyTypes: [Ingress], ingress: []}\n";
  const Repair repair = repair_of({{}, {}, {{"job.yaml", manifest}}});
  ASSERT_EQ(repair.files.size(), 1U) << to_text(repair);
  const std::string& after = repair.files[0].after;
  EXPECT_THAT(after, HasSubstr("sidecar.istio.io/inject: \"false\""));
  EXPECT_THAT(after, HasSubstr("spec: {clusterIP: None, ports: [{port: 29500}]}"));
  EXPECT_THAT(after, HasSubstr("ingress: [{from: [{podSelector: {}}]}]"));
}

constexpr const char* kDropsAll = R"({"nftables":[{"table":{"family":"inet","name":"f","handle":1}},
  {"chain":{"family":"inet","table":"f","name":"input","handle":1,"type":"filter","hook":"input","prio":0,"policy":"drop"}},
  {"rule":{"family":"inet","table":"f","chain":"input","handle":2,"expr":[{"match":{"op":"in","left":{"ct":{"key":"state"}},
   "right":"established"}},{"accept":null}]}}]})";

TEST(Repair, OpensAFirewallWhenNothingLighterWorks) {
  Job job{some_hosts(2), torchrun("n0")};
  job.hosts[0].firewall.nftables = base::parse_json(kDropsAll, "rules").value();
  const Repair repair = repair_of(job);
  ASSERT_EQ(repair.hosts.size(), 1U) << to_text(repair);
  EXPECT_EQ(repair.hosts[0].kind, EditKind::kFirewall);
  EXPECT_EQ(repair.hosts[0].command,
            "nft insert rule inet f input ip saddr '{ 10.1.0.2 }' tcp dport '{ 29500, 32768-60999 }' accept");
}

TEST(Repair, SaysWhatNoChangeMends) {
  Job job{some_hosts(2), torchrun("n0")};
  job.hosts[0].versions["torch"] = "2.1.0";
  job.hosts[1].versions["torch"] = "2.4.0";
  for (HostFacts& host : job.hosts) point_to_loopback(host);
  const Repair repair = repair_of(job);
  EXPECT_THAT(repair.in_the_way, ElementsAre(HasSubstr("V02")));
  EXPECT_FALSE(repair.empty());
}

TEST(Repair, NamesTheConditionInTheWay) {
  Job job{some_hosts(2), torchrun("n0")};
  for (HostFacts& host : job.hosts)
    std::erase_if(host.routes, [](const hostinfo::Route& route) {
      return route.interface == "eth0" && route.kind == "unicast";
    });
  const Repair repair = repair_of(job);
  EXPECT_TRUE(repair.empty()) << to_text(repair);
  EXPECT_THAT(to_text(repair), HasSubstr("In the way"));
  EXPECT_THAT(to_text(repair), HasSubstr("reach"));
}

TEST(Repair, IsToldAsJson) {
  Job job{some_hosts(2), torchrun("10.1.0.1")};
  for (HostFacts& host : job.hosts) point_to_loopback(host);
  const base::Json json = to_json(repair_of(job));
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["hosts"].size(), 1U);
  EXPECT_EQ(json["hosts"][0]["commands"][0]["kind"], "environment");
}

}  // namespace
}  // namespace lockstep::repair
