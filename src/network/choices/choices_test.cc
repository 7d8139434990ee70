#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "network/choices/choice.h"

namespace lockstep::network {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr LibraryVersion kNewNccl{2, 30, 7};

hostinfo::Interface interface_of(const char* name, std::vector<const char*> addresses,
                                 bool is_running = true) {
  hostinfo::Interface made;
  made.name = name;
  made.is_up = true;
  made.is_running = is_running;
  made.is_loopback = std::string_view(name) == "lo";
  for (const char* address : addresses) made.addresses.push_back({.prefix = *base::parse_prefix(address)});
  return made;
}

hostinfo::HostFacts host(std::vector<hostinfo::Interface> interfaces) {
  hostinfo::HostFacts facts;
  facts.name = "node1";
  facts.interfaces = std::move(interfaces);
  return facts;
}

hostinfo::HostFacts usual() {
  return host({interface_of("lo", {"127.0.0.1/8", "::1/128"}), interface_of("docker0", {"172.17.0.1/16"}),
               interface_of("eth0", {"10.0.0.7/24", "fe80::7/64"}), interface_of("eth1", {"10.1.0.7/24"}),
               interface_of("eth10", {"10.2.0.7/24"}), interface_of("idle", {"10.3.0.7/24"}, false)});
}

std::vector<std::string> names_of(const Choice& choice) {
  std::vector<std::string> names;
  for (const ChosenAddress& chosen : choice.addresses) names.push_back(chosen.interface);
  return names;
}

TEST(Nccl, TakesWhatIsNeitherDockerNorLoopback) {
  EXPECT_THAT(names_of(choose_nccl(usual(), {}, kNewNccl)), ElementsAre("eth0", "eth1", "eth10"));
  hostinfo::HostFacts with_ib = usual();
  with_ib.interfaces.push_back(interface_of("ib0", {"10.8.0.7/24"}));
  EXPECT_THAT(names_of(choose_nccl(with_ib, {}, kNewNccl)), ElementsAre("ib0"));
  EXPECT_THAT(names_of(choose_nccl(host({interface_of("lo", {"127.0.0.1/8"})}), {}, kNewNccl)),
              ElementsAre("lo"));
}

// As real NCCL 2.28.9 does it (tests/e2e/network_long_test.py).
TEST(Nccl, BootstrapTakesTheSubnetOfTheIdWhateverTheNamesSay) {
  const auto with = [](Environment environment) {
    environment["NCCL_COMM_ID"] = "10.1.0.99:7000";
    return names_of(choose_nccl(usual(), environment, kNewNccl));
  };
  EXPECT_THAT(with({}), ElementsAre("eth1"));
  EXPECT_THAT(with({{"NCCL_SOCKET_IFNAME", "=eth0"}}), ElementsAre("eth1", "eth0"));
  const Choice none = choose_nccl(usual(), {{"NCCL_COMM_ID", "10.99.0.1:7000"}}, kNewNccl);
  EXPECT_TRUE(none.failed());
  EXPECT_THAT(none.failure, HasSubstr("No usable listening interface found"));
}

TEST(Nccl, GrammarOfTheList) {
  const auto with = [&](const char* value) {
    return names_of(choose_nccl(usual(), {{"NCCL_SOCKET_IFNAME", value}}, kNewNccl));
  };
  EXPECT_THAT(with("eth1"), ElementsAre("eth1", "eth10"));
  EXPECT_THAT(with("=eth1"), ElementsAre("eth1"));
  EXPECT_THAT(with("^eth,lo"), ElementsAre("docker0"));
  EXPECT_THAT(with("^=eth1,lo"), ElementsAre("docker0", "eth0", "eth10"));
  EXPECT_THAT(with("eth1, eth0"), ElementsAre("eth1", "eth10"));
  EXPECT_THAT(with("eth1,^eth0"), ElementsAre("eth1", "eth10"));
  EXPECT_THAT(with("e"), ElementsAre("eth0", "eth1", "eth10"));  // ignored: all of the default
  EXPECT_THAT(with("idle"), ElementsAre());
  EXPECT_THAT(choose_nccl(usual(), {{"NCCL_SOCKET_IFNAME", "bond0"}}, kNewNccl).failure,
              HasSubstr("no socket interface found"));
}

TEST(Nccl, FamilyFilesAndVersions) {
  const Choice six = choose_nccl(usual(), {{"NCCL_SOCKET_FAMILY", "AF_INET6"}}, kNewNccl);
  ASSERT_EQ(six.addresses.size(), 1U);
  EXPECT_EQ(to_text(six.addresses[0].address), "fe80::7");
  EXPECT_THAT(names_of(choose_nccl(usual(), {{"NCCL_SOCKET_FAMILY", "inet6"}}, kNewNccl)),
              ElementsAre("eth0", "eth1", "eth10"));
  hostinfo::HostFacts with_file = usual();
  with_file.files["/etc/nccl.conf"] = "# ours\nNCCL_SOCKET_IFNAME==eth1\n";
  const Choice from_file = choose_nccl(with_file, {}, kNewNccl);
  EXPECT_THAT(names_of(from_file), ElementsAre("eth1"));
  EXPECT_EQ(from_file.trail.front().source, "NCCL_SOCKET_IFNAME in /etc/nccl.conf");
  const hostinfo::HostFacts libvirt =
      host({interface_of("virbr0", {"192.168.122.1/24"}), interface_of("eth0", {"10.0.0.7/24"})});
  EXPECT_THAT(names_of(choose_nccl(libvirt, {}, kNewNccl)), ElementsAre("eth0"));
  EXPECT_THAT(names_of(choose_nccl(libvirt, {}, {2, 18, 1})), ElementsAre("virbr0", "eth0"));
}

TEST(Gloo, NameOfTheHostOrOfTheInterface) {
  hostinfo::HostFacts facts = usual();
  facts.names = {
      {.name = "node1", .any = {*base::parse_address("192.0.2.9"), *base::parse_address("10.1.0.7")}}};
  EXPECT_EQ(to_text(choose_gloo(facts, {}).addresses[0].address), "10.1.0.7");
  EXPECT_EQ(to_text(choose_gloo(facts, {{"GLOO_SOCKET_IFNAME", "eth0"}}).addresses[0].address), "10.0.0.7");
  EXPECT_THAT(choose_gloo(facts, {{"GLOO_SOCKET_IFNAME", "eth"}}).failure,
              HasSubstr("Unable to find address for: eth"));
  facts.names[0].any = {*base::parse_address("127.0.1.1")};
  EXPECT_EQ(to_text(choose_gloo(facts, {}).addresses[0].address), "127.0.1.1");
  facts.names[0].any = {*base::parse_address("192.0.2.9")};
  EXPECT_EQ(to_text(choose_gloo(facts, {}).addresses[0].address), "127.0.0.1");
  EXPECT_EQ(gloo_connects(*base::parse_address("10.0.0.7"), *base::parse_address("10.0.0.3")), true);
  EXPECT_EQ(gloo_connects(*base::parse_address("10.0.0.7"), *base::parse_address("10.0.0.7")), std::nullopt);
}

TEST(Store, Ipv6RoundDecides) {
  hostinfo::HostFacts facts = usual();
  facts.names = {
      {.name = "a",
       .ipv6 = {*base::parse_address("::ffff:10.0.0.9")},
       .ipv4 = {*base::parse_address("10.0.0.9")}},
      {.name = "b", .ipv6_error = "Name or service not known", .ipv4 = {*base::parse_address("10.0.0.9")}}};
  const Choice a = choose_store(facts, "a");
  ASSERT_EQ(a.addresses.size(), 1U);
  EXPECT_EQ(to_text(a.addresses[0].address), "10.0.0.9");
  EXPECT_THAT(choose_store(facts, "b").failure, HasSubstr("IPv4 is never tried"));
  EXPECT_FALSE(choose_store(facts, "10.0.0.3").failed());
  EXPECT_TRUE(choose_store(facts, "never-asked").failed());
}

TEST(OpenMpi, IncludesAndExcludes) {
  EXPECT_THAT(names_of(choose_open_mpi(usual(), {})),
              ElementsAre("docker0", "eth0", "eth1", "eth10", "idle"));
  EXPECT_THAT(names_of(choose_open_mpi(usual(), {{"OMPI_MCA_btl_tcp_if_include", "10.0.0.0/24,eth10"}})),
              ElementsAre("eth0", "eth10"));
  EXPECT_THAT(names_of(choose_open_mpi(usual(), {{"OMPI_MCA_btl_tcp_if_exclude", "docker0,idle"}})),
              ElementsAre("lo", "eth0", "eth1", "eth10"));
  // A network that holds no interface is left out, and then nothing was given.
  EXPECT_EQ(names_of(choose_open_mpi(usual(), {{"OMPI_MCA_btl_tcp_if_include", "198.51.100.0/24"}})),
            names_of(choose_open_mpi(usual(), {})));
  EXPECT_TRUE(choose_open_mpi(
                  usual(), {{"OMPI_MCA_btl_tcp_if_include", "eth0"}, {"OMPI_MCA_btl_tcp_if_exclude", "lo"}})
                  .failed());
}

TEST(Horovod, NamesThatAllShareOnTheRing) {
  hostinfo::HostFacts one = usual();
  hostinfo::HostFacts two = host({interface_of("lo", {"127.0.0.1/8"}), interface_of("eth0", {"10.0.0.8/24"}),
                                  interface_of("eth1", {"10.1.0.8/24"})});
  const std::vector<const hostinfo::HostFacts*> hosts = {&one, &two};
  const auto all = [&](std::size_t from, std::size_t to, const base::Address& address) {
    const std::string& name = hosts[to]->interface_with(address)->name;
    const hostinfo::Interface* const same = hosts[from]->interface_named(name);
    return same == nullptr ? std::nullopt : std::optional(same->addresses[0].prefix.address);
  };
  EXPECT_THAT(choose_horovod(hosts, "", all).names, ElementsAre("eth0", "eth1"));
  const auto not_eth1 = [&](std::size_t from, std::size_t to, const base::Address& address) {
    return address == *base::parse_address("10.1.0.8") ? std::nullopt : all(from, to, address);
  };
  EXPECT_THAT(choose_horovod(hosts, "", not_eth1).names, ElementsAre("eth0"));
  // What is reached from another interface's address does not count.
  const auto from_eth0 = [&](std::size_t from, std::size_t, const base::Address&) {
    return std::optional(hosts[from]->interface_named("eth0")->addresses[0].prefix.address);
  };
  EXPECT_THAT(choose_horovod(hosts, "", from_eth0).names, ElementsAre("eth0"));
  two.interfaces[1].name = "ens3";
  two.interfaces.pop_back();
  EXPECT_THAT(choose_horovod(hosts, "", all).failure, HasSubstr("common task-to-task"));
  EXPECT_THAT(choose_horovod(hosts, "ens3", all).names, ElementsAre("ens3"));
}

TEST(Tensorflow, TasksOfTheCluster) {
  hostinfo::HostFacts facts = usual();
  facts.names = {{.name = "node2", .any = {*base::parse_address("10.0.0.8")}}};
  const Environment environment = {
      {"TF_CONFIG",
       R"({"cluster": {"worker": ["10.0.0.7:2222", "node2:2223"]}, "task": {"type": "worker", "index": 0}})"},
      {"https_proxy", "http://proxy:3128"},
      {"no_proxy", "localhost"}};
  const TensorflowChoice choice = choose_tensorflow(facts, environment);
  EXPECT_EQ(choice.failure, "");
  ASSERT_EQ(choice.tasks.size(), 2U);
  EXPECT_TRUE(choice.tasks[0].is_own);
  EXPECT_EQ(choice.tasks[1].port, 2223);
  EXPECT_THAT(choice.tasks[1].addresses, ElementsAre(*base::parse_address("10.0.0.8")));
  EXPECT_TRUE(choice.tasks[1].goes_through_proxy);
  EXPECT_FALSE(choose_tensorflow(facts, {{"TF_CONFIG", "{"}}).failure.empty());
  EXPECT_FALSE(choose_tensorflow(
                   facts, {{"TF_CONFIG",
                            R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 4}})"}})
                   .failure.empty());
}

}  // namespace
}  // namespace lockstep::network
