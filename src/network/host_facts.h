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
#include "network/facts/devices.h"
#include "network/facts/firewall_texts.h"
#include "network/facts/interfaces.h"
#include "network/facts/names.h"
#include "network/facts/routes.h"
#include "network/facts/system.h"
#include "network/port_ranges.h"

namespace lockstep::network {

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

// net.ipv4.ip_local_port_range, or the kernel's default.
PortRange ephemeral_ports(const HostFacts& facts);

}  // namespace lockstep::network
