#include "check/flows/required_flows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/configuration.h"

namespace lockstep::flows {
namespace {

using hostinfo::HostFacts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

HostFacts host_at(const std::string& name, const std::string& address) {
  HostFacts facts;
  facts.name = name;
  facts.full_name = name + ".lab";
  hostinfo::Interface eth;
  eth.name = "eth0";
  eth.is_up = eth.is_running = true;
  eth.addresses = {{.prefix = *base::parse_prefix(address + "/24")}};
  facts.interfaces = {eth};
  facts.routes = {{.destination = {eth.addresses[0].prefix.first(), 24}, .interface = "eth0"}};
  facts.firewall.was_seen = true;
  return facts;
}

// a and c with small addresses, b with the largest; everyone knows everyone.
struct Flows : testing::Test {
  std::vector<HostFacts> hosts = {host_at("a", "10.0.0.1"), host_at("b", "10.0.0.3"),
                                  host_at("c", "10.0.0.2")};

  void SetUp() override {
    for (HostFacts& one : hosts) {
      for (const HostFacts& other : hosts) {
        for (const std::string& name : {other.name, other.full_name}) {
          const base::Address address = other.interfaces[0].addresses[0].prefix.address;
          one.names.push_back({.name = name, .any = {address}, .ipv6 = {address}, .ipv4 = {address}});
        }
      }
    }
  }

  FlowPlan plan(const config::Words& command, const config::Environment& environment = {}) const {
    config::Inputs inputs;
    inputs.command = command;
    inputs.environment = environment;
    inputs.read_file = [](const std::string& path) -> Result<std::string> {
      if (path == "hosts") return std::string("a slots=1\nb slots=1\nc slots=1\n");
      return Error{"", path, "not there", ""};
    };
    config::Configuration read = config::read_configuration(inputs);
    config::know_hosts(read, hosts.size());
    return plan_flows(read.launches.front(), hosts);
  }
};

// "a>b:29500" of one number of the model, single flows and those of meshes.
std::vector<std::string> arrows(const FlowPlan& plan, std::string_view id,
                                const std::vector<HostFacts>& hosts) {
  std::vector<std::string> made;
  const auto add = [&](const RequiredFlow& flow) {
    if (meaning_of(flow.kind).ids.find(id) == std::string_view::npos) return;
    made.push_back(hosts[flow.source].name + ">" + hosts[flow.destination].name + ":" +
                   network::to_text(flow.flow.ports));
  };
  for (const RequiredFlow& flow : plan.flows) add(flow);
  for (const Mesh& mesh : plan.meshes)
    for (std::size_t from = 0; from < mesh.ends.size(); ++from)
      for (std::size_t to = 0; to < mesh.ends.size(); ++to)
        if (from != to && mesh.kind_of(from, to)) add(mesh.flow(from, to));
  return made;
}

constexpr const char* kFree = "32768-60999";

TEST_F(Flows, Fl1EveryRankToTheStore) {
  const FlowPlan made = plan({"torchrun", "--nnodes", "3", "--master-addr", "a", "train.py"});
  EXPECT_THAT(arrows(made, "FL1", hosts), ElementsAre("b>a:29500", "c>a:29500"));
  EXPECT_THAT(arrows(made, "FL2", hosts), IsEmpty());
}

TEST_F(Flows, Fl1NamesTheHostThatDoesNotResolveTheMaster) {
  for (hostinfo::ResolvedName& name : hosts[2].names)
    if (name.name == "a") name = {.name = "a", .any_error = "no such name", .ipv6_error = "no such name"};
  const FlowPlan made = plan({"torchrun", "--nnodes", "3", "--master-addr", "a", "train.py"});
  EXPECT_THAT(arrows(made, "FL1", hosts), ElementsAre("b>a:29500"));
  EXPECT_THAT(made.limits, ElementsAre(HasSubstr("c: the IPv6 network addresses of a cannot be retrieved")));
}

TEST_F(Flows, Fl2AndFl3TorchrunsRendezvousThenItsWorkers) {
  const config::Words command = {"torchrun", "--nnodes",        "3", "--rdzv-backend",
                                 "c10d",     "--rdzv-endpoint", "b", "train.py"};
  const FlowPlan made = plan(command);
  EXPECT_THAT(arrows(made, "FL1", hosts), IsEmpty());
  EXPECT_THAT(arrows(made, "FL2", hosts), ElementsAre("a>b:29400", "c>b:29400"));
  EXPECT_THAT(arrows(made, "FL3", hosts),
              ElementsAre(std::string("a>b:") + kFree, std::string("c>b:") + kFree));
}

TEST_F(Flows, Fl4ToFl6NcclToTheCreatorBackAndBetweenAll) {
  for (HostFacts& one : hosts) one.gpus.gpus.push_back({});
  hosts.push_back(host_at("d", "10.0.0.9"));
  const FlowPlan made = plan({"torchrun", "--nnodes", "4", "--master-addr", "10.0.0.1", "train.py"});
  const std::string free = std::string(":") + kFree;
  EXPECT_THAT(arrows(made, "FL4", hosts), ElementsAre("b>a" + free, "c>a" + free, "d>a" + free));
  EXPECT_THAT(arrows(made, "FL5", hosts), ElementsAre("a>b" + free, "a>c" + free, "a>d" + free, "b>c" + free,
                                                      "c>b" + free, "c>d" + free, "d>c" + free));
  EXPECT_THAT(arrows(made, "FL6", hosts), ElementsAre("b>d" + free, "d>b" + free));
  EXPECT_THAT(arrows(made, "FL8", hosts), IsEmpty());
}

TEST_F(Flows, Fl6TheSocketTransportUsesEveryInterface) {
  for (HostFacts& one : hosts) {
    one.gpus.gpus.push_back({});
    hostinfo::Interface second = one.interfaces[0];
    second.name = "eth1";
    second.addresses[0].prefix.address.bytes[1] = 1;
    one.interfaces.push_back(second);
  }
  const FlowPlan made = plan({"torchrun", "--nnodes", "3", "--master-addr", "10.0.0.1", "train.py"});
  ASSERT_THAT(made.meshes, SizeIs(2));
  EXPECT_EQ(base::to_text(made.meshes[1].ends[1].address), "10.1.0.3");
}

TEST_F(Flows, Fl7RoceIsReachedByItsRoutesAlone) {
  for (HostFacts& one : hosts) {
    one.gpus.gpus.push_back({});
    hostinfo::RdmaPort port{.number = 1, .state = "4: ACTIVE", .link_layer = "Ethernet"};
    port.gids = {{.index = 0, .gid = "fe80:0000:0000:0000:0000:0000:0000:0001", .type = "RoCE v2"},
                 {.index = 3,
                  .gid = "::ffff:" + base::to_text(one.interfaces[0].addresses[0].prefix.address),
                  .type = "RoCE v2"}};
    one.rdma_devices = {{.name = "mlx5_0", .ports = {port}}};
  }
  const config::Words command = {"torchrun", "--nnodes", "3", "--master-addr", "10.0.0.1", "train.py"};
  const FlowPlan made = plan(command);
  EXPECT_THAT(arrows(made, "FL7", hosts), ElementsAre("a>b:4791", "b>c:4791", "c>a:4791"));
  for (const RequiredFlow& flow : made.flows)
    EXPECT_EQ(flow.flow.passes_firewall, flow.kind != FlowKind::kRdma);
  EXPECT_THAT(arrows(plan(command, {{"NCCL_IB_DISABLE", "1"}}), "FL7", hosts), IsEmpty());
}

TEST_F(Flows, Fl8TheLargerAddressOfGlooConnects) {
  for (HostFacts& one : hosts) one.environment["GLOO_SOCKET_IFNAME"] = "eth0";
  const FlowPlan made = plan({"torchrun", "--nnodes", "3", "--master-addr", "10.0.0.1", "train.py"});
  const std::string free = std::string(":") + kFree;
  EXPECT_THAT(arrows(made, "FL8", hosts), ElementsAre("b>a" + free, "b>c" + free, "c>a" + free));
}

TEST_F(Flows, Fl8OnLoopbackEitherSideMayConnect) {
  for (HostFacts& one : hosts) one.names.clear();
  const FlowPlan made = plan({"torchrun", "--nnodes", "3", "--master-addr", "10.0.0.1", "train.py"});
  EXPECT_THAT(arrows(made, "FL8", hosts), SizeIs(6));
}

TEST_F(Flows, Fl9AndFl10HorovodrunItsServicesAndItsStore) {
  const FlowPlan made =
      plan({"horovodrun", "-np", "3", "-H", "a:1,b:1,c:1", "-p", "2222", "python", "train.py"});
  const std::string free = ":1024-65535";
  EXPECT_THAT(arrows(made, "FL9", hosts), ElementsAre("a>b:2222", "a>c:2222", "b>a" + free, "c>a" + free,
                                                      "a>b" + free, "b>c" + free, "a>c" + free));
  EXPECT_THAT(arrows(made, "FL10", hosts), ElementsAre("b>a" + free, "c>a" + free));
  const FlowPlan over_mpi =
      plan({"horovodrun", "--mpi", "-np", "3", "-H", "a:1,b:1,c:1", "python", "train.py"});
  EXPECT_THAT(arrows(over_mpi, "FL10", hosts), IsEmpty());
  EXPECT_THAT(arrows(over_mpi, "FL12", hosts), SizeIs(6));
}

TEST_F(Flows, Fl11AndFl12MpirunItsDaemonsAndRanks) {
  const FlowPlan made = plan({"mpirun", "-np", "3", "-H", "b:1,a:1,c:1", "--mca", "btl_tcp_port_min_v4",
                              "2000", "--mca", "btl_tcp_port_range_v4", "10", "--mca",
                              "oob_tcp_dynamic_ipv4_ports", "3000-3005", "python", "train.py"});
  EXPECT_THAT(arrows(made, "FL11", hosts), ElementsAre("b>a:22", "b>c:22", "a>b:3000-3005", "c>b:3000-3005"));
  EXPECT_THAT(arrows(made, "FL12", hosts), ElementsAre("a>b:2000-2009", "a>c:2000-2009", "b>a:2000-2009",
                                                       "b>c:2000-2009", "c>a:2000-2009", "c>b:2000-2009"));
}

TEST_F(Flows, Fl13TensorflowAtThePortsOfItsCluster) {
  const FlowPlan made =
      plan({"python", "train.py"}, {{"TF_CONFIG", R"({"cluster": {"worker": ["a:2222", "b:2223"]},)"
                                                  R"( "task": {"type": "worker", "index": 0}})"}});
  EXPECT_THAT(arrows(made, "FL13", hosts), ElementsAre("a>b:2223", "c>b:2223"));
}

TEST_F(Flows, Fl14DeepspeedReachesEveryHostBySsh) {
  const FlowPlan made = plan({"deepspeed", "--hostfile", "hosts", "--ssh_port", "2200", "train.py"});
  EXPECT_THAT(arrows(made, "FL14", hosts), ElementsAre("a>b:2200", "a>c:2200"));
}

TEST_F(Flows, Fl15NodesCallSrunBack) {
  hosts[0].files["/etc/slurm/slurm.conf"] = "ClusterName=lab\nSrunPortRange=60001-60010\n";
  const FlowPlan made =
      plan({"srun", "-N", "3", "torchrun", "--nnodes", "3", "--master-addr", "a", "train.py"});
  EXPECT_THAT(arrows(made, "FL15", hosts), ElementsAre("b>a:60001-60010", "c>a:60001-60010"));
  EXPECT_TRUE(meaning_of(FlowKind::kSlurmStep).is_general_knowledge);
}

}  // namespace
}  // namespace lockstep::flows
