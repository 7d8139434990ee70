// What one host told of itself: everything a preflight must know of it, taken by `lockstep facts` on that
// host. Plain values; docs/formats/facts.md has the meaning of every member in the file's words.
//
// What could not be seen is empty, and `unseen` says in words why.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/net/address.h"

namespace lockstep::hostinfo {

// Network interfaces with their addresses, in the order in which the kernel lists them: several libraries
// take the first.
struct InterfaceAddress {
  base::Prefix prefix = {};                // the address with the length of its network
  std::string scope = {};                  // "global", "link", "host"
  std::string label = {};                  // "eth0:1" for an alias
  std::optional<base::Address> peer = {};  // of a point-to-point link
  bool is_temporary = false;               // IPv6 privacy address
  bool is_deprecated = false;

  bool operator==(const InterfaceAddress&) const = default;
};

struct Interface {
  int index = 0;
  std::string name = {};
  std::string kind = {};    // "veth", "bridge", "bond"; empty for a plain device
  std::string master = {};  // the bridge or bond it belongs to
  unsigned mtu = 0;
  bool is_up = false;       // administratively
  bool is_running = false;  // has carrier
  bool is_loopback = false;
  bool is_point_to_point = false;
  std::string hardware_address = {};
  std::optional<unsigned> speed_mbps = {};
  std::vector<InterfaceAddress> addresses = {};

  bool operator==(const Interface&) const = default;
};

// Routes of all tables, the rules that choose among tables, and how many neighbours the kernel keeps.
struct Route {
  std::string table = "main";
  std::string kind = "unicast";  // "local", "broadcast", "multicast", "unreachable", "blackhole", "prohibit"
  base::Prefix destination = {};
  std::optional<base::Address> gateway = {};
  std::string interface = {};
  std::optional<base::Address> source = {};  // preferred
  unsigned metric = 0;
  std::optional<unsigned> mtu = {};
  bool is_usable = true;  // no "linkdown" or "dead" mark

  bool operator==(const Route&) const = default;
};

struct PolicyRule {
  unsigned priority = 0;
  base::Family family = base::Family::kIpv4;
  std::optional<base::Prefix> from = {};
  std::optional<base::Prefix> to = {};
  std::string incoming = {};  // interface
  std::string outgoing = {};  // interface
  std::optional<std::uint32_t> mark = {};
  std::string table = {};
  std::string action = "lookup";  // "unreachable", "blackhole", "prohibit"
  // Selectors that are not in the members above ("ipproto tcp", "not"); the rule is then not decided.
  std::string not_understood = {};

  bool operator==(const PolicyRule&) const = default;
};

struct Neighbours {
  std::optional<std::int64_t> ipv4_count = {};
  std::optional<std::int64_t> ipv4_limit = {};  // gc_thresh3
  std::optional<std::int64_t> ipv6_count = {};
  std::optional<std::int64_t> ipv6_limit = {};

  bool operator==(const Neighbours&) const = default;
};

// A name of the launch, asked on this host in the ways the libraries ask.
struct ResolvedName {
  std::string name = {};
  std::vector<base::Address> any = {};  // any family, in the resolver's order
  std::string any_error = {};           // "Name or service not known"
  std::vector<base::Address> ipv6 =
      {};  // the IPv6 round of PyTorch's store: IPv4 results come as mapped addresses
  std::string ipv6_error = {};
  std::vector<base::Address> ipv4 = {};
  std::string ipv4_error = {};
  std::string canonical = {};

  bool operator==(const ResolvedName&) const = default;
};

struct ListeningSocket {
  base::Address address = {};
  std::uint16_t port = 0;
  std::string program = {};  // where it can be seen

  bool operator==(const ListeningSocket&) const = default;
};

// The firewall as its own programs print it. Kept whole: what one version of the reader does not understand
// a later one may.
enum class IptablesKind { kNft, kLegacy };

struct IptablesText {
  IptablesKind kind = IptablesKind::kNft;
  bool is_ipv6 = false;
  std::string text = {};  // of iptables-save

  bool operator==(const IptablesText&) const = default;
};

struct FirewallTexts {
  bool was_seen = false;          // false: whether there is a firewall is not known
  base::Json nftables = nullptr;  // of nft -j list ruleset
  std::vector<IptablesText> iptables = {};

  bool operator==(const FirewallTexts&) const = default;
};

// Empty is unlimited.
struct ResourceLimit {
  std::optional<std::uint64_t> soft = {};
  std::optional<std::uint64_t> hard = {};

  bool operator==(const ResourceLimit&) const = default;
};

struct SharedMemory {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t device = 0;  // equal numbers on one boot id: the same memory

  bool operator==(const SharedMemory&) const = default;
};

struct Machine {
  std::string kernel = {};        // "6.1.0-18-amd64"
  std::string distribution = {};  // "Debian GNU/Linux 12 (bookworm)"
  unsigned cpus = 0;              // that this process may use
  std::optional<std::uint64_t> memory_bytes = {};
  std::optional<std::uint64_t> memory_limit_bytes = {};  // of the control group
  std::optional<double> cpu_quota = {};                  // CPUs, of the control group
  std::optional<std::uint64_t> pids_limit = {};
  std::optional<bool> removes_ipc = {};  // logind's RemoveIPC, where its file says so

  bool operator==(const Machine&) const = default;
};

struct Clock {
  std::int64_t wall_ns = 0;  // since 1970, when the facts were taken
  bool is_synchronised = false;
  std::int64_t largest_error_us = 0;
  // Against the collecting host's clock, when the facts came through it.
  std::optional<std::int64_t> offset_ns = {};
  std::optional<std::int64_t> offset_uncertainty_ns = {};

  bool operator==(const Clock&) const = default;
};

struct Gpu {
  unsigned index = 0;
  std::string uuid = {};
  std::string name = {};
  std::string pci = {};
  std::optional<std::uint64_t> memory_bytes = {};

  bool operator==(const Gpu&) const = default;
};

struct Gpus {
  std::vector<Gpu> gpus = {};
  unsigned switches = 0;           // NVSwitches
  std::string driver = {};         // of the user library
  std::string kernel_module = {};  // version of the loaded module

  bool operator==(const Gpus&) const = default;
};

struct Gid {
  unsigned index = 0;
  std::string gid = {};   // as the kernel prints it
  std::string type = {};  // "IB/RoCE v1", "RoCE v2"
  std::string interface = {};

  bool operator==(const Gid&) const = default;
};

struct RdmaPort {
  unsigned number = 0;
  std::string state = {};       // "ACTIVE"
  std::string link_layer = {};  // "InfiniBand", "Ethernet"
  std::string rate = {};        // "100 Gb/sec (4X EDR)"
  std::vector<Gid> gids = {};
  std::vector<std::string> partition_keys = {};

  bool operator==(const RdmaPort&) const = default;
};

struct RdmaDevice {
  std::string name = {};  // "mlx5_0"
  std::vector<RdmaPort> ports = {};

  bool operator==(const RdmaDevice&) const = default;
};

// The transport library that NCCL would load.
struct NcclPlugin {
  std::string name = {};  // "libnccl-net.so", or what NCCL_NET_PLUGIN asks for
  std::string path = {};  // empty: not found

  bool operator==(const NcclPlugin&) const = default;
};

struct HostFacts {
  std::string name = {};                               // gethostname()
  std::string full_name = {};                          // as Python's socket.getfqdn() says it
  std::string boot_id = {};                            // of the kernel: equal for containers on one machine
  std::map<std::string, std::string> namespaces = {};  // "net": "net:[4026531840]"
  std::string collected_by = {};                       // "lockstep 0.1.0"
  bool by_root = false;

  std::vector<Interface> interfaces = {};  // in the kernel's order
  std::vector<Route> routes = {};          // of all tables
  std::vector<PolicyRule> policy_rules = {};
  Neighbours neighbours = {};
  std::vector<ResolvedName> names = {};
  std::vector<ListeningSocket> listening = {};
  FirewallTexts firewall = {};

  std::map<std::string, std::string> sysctls = {};   // "net.ipv4.ip_local_port_range": "32768 60999"
  std::map<std::string, ResourceLimit> limits = {};  // "memlock", "nofile", ...
  std::optional<SharedMemory> shared_memory = {};    // /dev/shm
  Machine machine = {};
  Gpus gpus = {};
  std::vector<RdmaDevice> rdma_devices = {};
  std::vector<std::string> kernel_modules = {};
  std::map<std::string, std::string> programs = {};  // "orted": where PATH finds it; empty: it does not
  NcclPlugin nccl_plugin = {};
  std::vector<std::string> services = {};  // that run, of those a job may need: "nv-fabricmanager"

  std::map<std::string, std::string> versions = {};     // "python", "torch", "torch.cuda", "nccl", "mpi" ...
  std::map<std::string, std::string> environment = {};  // secrets masked
  std::map<std::string, std::string> files = {};        // "/etc/hosts", "/etc/nccl.conf": their text
  Clock clock = {};

  std::vector<std::string> unseen = {};  // "firewall: nft needs root"

  bool operator==(const HostFacts&) const = default;

  const Interface* interface_named(std::string_view name) const;
  const Interface* interface_with(const base::Address& address) const;
  const ResolvedName* resolved(std::string_view name) const;
  std::optional<std::int64_t> sysctl_number(const std::string& name) const;
  // Of the environment; empty when it is not set.
  std::string_view variable(const std::string& name) const;
};

// As getifaddrs() lists them: IPv4 of all interfaces first, then IPv6.
struct LocalAddress {
  const Interface* interface = nullptr;
  const InterfaceAddress* address = nullptr;
};
std::vector<LocalAddress> addresses_in_kernel_order(const HostFacts& facts);

}  // namespace lockstep::hostinfo
