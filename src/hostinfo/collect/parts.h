// The parts of a host that collect() takes facts of: its network, its resolver, its devices, its software.
// What is read from text never fails: what is damaged becomes a sentence among the faults.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

// Interfaces, addresses, routes and the rules that choose among route tables.
void take_links(HostFacts& facts);

// The text of /proc/net/tcp and tcp6.
std::vector<ListeningSocket> listening_in(std::string_view text);

// TCP sockets that listen on this host.
void take_listening(HostFacts& facts);

// The packet filters of this host: nftables, and iptables of both kinds.
void take_firewall(HostFacts& facts);

// Of `ip -j -d addr show`.
std::vector<Interface> interfaces_in(std::string_view json, std::vector<std::string>& faults);

// Of `ip -j -4 route show table all`; the family is not in the text.
std::vector<Route> routes_in(std::string_view json, base::Family family, std::vector<std::string>& faults);

// Of `ip -j -4 rule`.
std::vector<PolicyRule> policy_rules_in(std::string_view json, base::Family family,
                                        std::vector<std::string>& faults);

ResolvedName resolve(const std::string& name);

// The given names, the host's own, and those of the environment (MASTER_ADDR, TF_CONFIG ...). Also the full
// name of the host.
void take_names(const std::vector<std::string>& names, HostFacts& facts);

// Host names in variables that launchers set.
std::vector<std::string> names_in(const std::map<std::string, std::string>& environment);

// Of nvidia-smi --query-gpu=index,uuid,name,pci.bus_id,memory.total,driver_version
// --format=csv,noheader,nounits
Gpus gpus_in(std::string_view csv);

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue ..." of /proc/driver/nvidia/version
std::string module_version_in(std::string_view text);

// Below /sys/class/infiniband.
std::vector<RdmaDevice> rdma_devices_in(const std::filesystem::path& folder);

void take_gpus(HostFacts& facts);
void take_rdma(HostFacts& facts);

// Where the loader would find it: LD_LIBRARY_PATH, then the usual folders; empty: nowhere.
std::string library_in(std::string_view library_path, std::span<const std::filesystem::path> usual,
                       const std::string& name);

// "RemoveIPC=yes" of logind.conf; nothing where the file leaves it to the default.
std::optional<bool> removes_ipc(std::string_view logind_conf);

void take_software(HostFacts& facts);

// Versions in the environment the job would use: asked of its own interpreter, without importing anything.
// `python` empty: python3 of PATH.
void take_versions(const std::string& python, HostFacts& facts);

}  // namespace lockstep::hostinfo
