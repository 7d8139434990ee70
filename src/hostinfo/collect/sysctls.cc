#include "hostinfo/collect/sysctls.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"

namespace lockstep::hostinfo {
namespace {

constexpr std::string_view kSysctls[] = {
    "net.core.somaxconn",
    "net.core.netdev_max_backlog",
    "net.core.rmem_max",
    "net.core.wmem_max",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ip_forward",
    "net.ipv4.tcp_syn_retries",
    "net.ipv4.tcp_mtu_probing",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.conf.all.rp_filter",
    "net.ipv4.conf.default.rp_filter",
    "net.ipv4.conf.all.arp_ignore",
    "net.ipv4.conf.all.arp_announce",
    "net.ipv4.neigh.default.gc_thresh1",
    "net.ipv4.neigh.default.gc_thresh2",
    "net.ipv4.neigh.default.gc_thresh3",
    "net.ipv6.neigh.default.gc_thresh3",
    "net.ipv6.conf.all.disable_ipv6",
    "net.ipv6.bindv6only",
    "net.netfilter.nf_conntrack_max",
    "net.netfilter.nf_conntrack_count",
    "kernel.pid_max",
    "kernel.threads-max",
    "kernel.shmmax",
    "kernel.numa_balancing",
    "kernel.yama.ptrace_scope",
    "vm.max_map_count",
    "vm.overcommit_memory",
    "fs.file-max",
    "fs.nr_open",
};

constexpr std::string_view kModules[] = {
    "nvidia",       "nvidia_uvm", "nvidia_peermem", "nv_peer_mem",  "gdrdrv",   "mlx5_ib",
    "mlx5_core",    "ib_uverbs",  "rdma_cm",        "efa",          "irdma",    "bnxt_re",
    "nf_conntrack", "ip_tables",  "nf_tables",      "br_netfilter", "ib_ipoib", "amdgpu",
};

std::filesystem::path place_of(std::string_view name) {
  std::string path(name);
  std::ranges::replace(path, '.', '/');
  return "/proc/sys/" + path;
}

void take(const std::string& name, const std::filesystem::path& path, HostFacts& facts) {
  const std::string text = process::text_of(path);
  if (!text.empty()) facts.sysctls[name] = base::trimmed(text);
}

}  // namespace

void take_sysctls(HostFacts& facts) {
  for (const std::string_view name : kSysctls) take(std::string(name), place_of(name), facts);
  for (const Interface& interface : facts.interfaces) {
    // Names of interfaces may hold dots, as eth0.100.
    for (const char* setting : {"rp_filter", "arp_ignore", "arp_announce", "accept_local"}) {
      take(fmt::format("net.ipv4.conf.{}.{}", interface.name, setting),
           fmt::format("/proc/sys/net/ipv4/conf/{}/{}", interface.name, setting), facts);
    }
    take(fmt::format("net.ipv6.conf.{}.disable_ipv6", interface.name),
         fmt::format("/proc/sys/net/ipv6/conf/{}/disable_ipv6", interface.name), facts);
  }
}

void take_modules(HostFacts& facts) {
  const std::string text = process::text_of("/proc/modules");
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::string_view name = base::word_of(*line);
    if (std::ranges::find(kModules, name) != std::end(kModules)) facts.kernel_modules.emplace_back(name);
  }
}

}  // namespace lockstep::hostinfo
