// What each library would choose on a host, with the reasons in the order in which they decided.
//
// Each emulator is a pure function of a host's facts and the environment that the rank would have there.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hostinfo/host_facts.h"
#include "network/ports.h"
#include "network/reach.h"

namespace lockstep::network {

using Environment = std::map<std::string, std::string>;

struct ChosenAddress {
  std::string interface = {};  // empty where the library knows addresses only
  base::Address address = {};

  bool operator==(const ChosenAddress&) const = default;
};

struct Reason {
  std::string text = {};    // "eth0 is the first interface that is neither docker*, lo* nor virbr*"
  std::string source = {};  // what said so: "NCCL_SOCKET_IFNAME", "/etc/hosts", "order of the kernel"

  bool operator==(const Reason&) const = default;
};

struct Choice {
  std::vector<ChosenAddress> addresses = {};  // the first is the one that counts where only one is used
  std::string failure = {};  // what the library says when it finds none; then addresses are empty
  std::vector<Reason> trail = {};

  bool failed() const { return addresses.empty(); }
  void because(std::string text, std::string source) {
    trail.push_back({std::move(text), std::move(source)});
  }
  void fail(std::string words, std::string source) {
    failure = words;
    because(std::move(words), std::move(source));
  }
};

// 2.30.7 is {2, 30, 7}; what is not given is 0.
struct LibraryVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  auto operator<=>(const LibraryVersion&) const = default;
};
LibraryVersion parse_version(std::string_view text);

// Empty when it is not set.
std::string_view variable_in(const Environment& environment, const std::string& name);

// Whether a socket could be bound to it on this host.
bool is_bindable(const hostinfo::HostFacts& facts, const base::Address& address);

std::vector<std::string_view> split_list(std::string_view text, char between = ',');

// addresses[0] is the bootstrap's; the Socket transport uses all. Settings come from the environment, then
// from the user's and the system's NCCL configuration file among the facts.
Choice choose_nccl(const hostinfo::HostFacts& facts, const Environment& environment, LibraryVersion version);

// The address Gloo listens on and tells its peers.
Choice choose_gloo(const hostinfo::HostFacts& facts, const Environment& environment);

// For each pair exactly one side connects: that with the larger address. True: `own` connects. Equal
// addresses are decided by the ports, which nobody knows before.
std::optional<bool> gloo_connects(const base::Address& own, const base::Address& other);

// The addresses that the client of the store tries for MASTER_ADDR, in order.
Choice choose_store(const hostinfo::HostFacts& facts, const std::string& master);

// `environment` holds OMPI_MCA_btl_tcp_if_include and _exclude, also for parameters given as --mca.
Choice choose_open_mpi(const hostinfo::HostFacts& facts, const Environment& environment);

struct CommonInterfaces {
  std::vector<std::string> names = {};  // sorted; which of them Gloo gets is left to chance
  std::string failure = {};
  std::vector<Reason> trail = {};
};

// Its driver, tasks and store listen at any port by chance, not where the kernel would put them.
constexpr PortRange kHorovodPorts{.first = 1024, .last = 65535};

// Task i probes the addresses of task i+1 only. `probe` says by which address of `from` the other one is
// reached, if it is: an interface counts when both ends have its name.
using Probe = std::function<std::optional<base::Address>(std::size_t from, std::size_t to,
                                                         const base::Address& address)>;
CommonInterfaces choose_horovod(std::span<const hostinfo::HostFacts* const> hosts,
                                const std::string& network_interfaces, const Probe& probe);

// horovodrun's probes of the ring, decided by routes and firewalls instead of packets.
CommonInterfaces choose_horovod(const ReachHosts& hosts, const std::string& network_interfaces);

struct TensorflowTask {
  std::string job = {};
  int index = 0;
  std::string endpoint = {};  // "node1:2222"
  std::uint16_t port = 0;
  std::vector<base::Address> addresses = {};  // as this host resolves it, in the order they are tried
  bool is_own = false;                        // it listens on all addresses, whatever the name says
  bool goes_through_proxy = false;
};

struct TensorflowChoice {
  std::vector<TensorflowTask> tasks = {};
  std::string failure = {};
  std::vector<Reason> trail = {};
};

TensorflowChoice choose_tensorflow(const hostinfo::HostFacts& facts, const Environment& environment);

}  // namespace lockstep::network
