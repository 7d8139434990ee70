#include "hostinfo/collect/collect.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/process/environment.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "hostinfo/collect/parts.h"
#include "hostinfo/state/cgroup.h"
#include "hostinfo/state/host_state.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_of(rlim_t value) {
  return value == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(value);
}

// Of this process: those the launcher gave, when it was started the way a rank is.
void take_limits(HostFacts& facts) {
  constexpr std::pair<const char*, int> kLimits[] = {
      {"memlock", RLIMIT_MEMLOCK}, {"nofile", RLIMIT_NOFILE},
      {"stack", RLIMIT_STACK},     {"nproc", RLIMIT_NPROC},
      {"as", RLIMIT_AS},           {"core", RLIMIT_CORE},
      {"data", RLIMIT_DATA},       {"msgqueue", RLIMIT_MSGQUEUE},
  };
  for (const auto& [name, resource] : kLimits) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) continue;
    facts.limits[name] = {.soft = number_of(limit.rlim_cur), .hard = number_of(limit.rlim_max)};
  }
}

// The tightest of the control group and those above it.
std::optional<std::uint64_t> pids_limit() {
  const process::Roots roots;
  const auto places = parse_cgroup_places(process::text_of(roots.proc / "self/cgroup"));
  if (!places.unified) return std::nullopt;
  std::optional<std::uint64_t> tightest;
  const fs::path top = roots.sys / "fs/cgroup";
  fs::path group = *places.unified;
  for (;;) {
    const std::string text = process::text_of(top / group.relative_path() / "pids.max");
    if (const auto limit = base::number_in<std::uint64_t>(base::trimmed(text)))
      tightest = std::min(tightest.value_or(*limit), *limit);
    if (!group.has_relative_path()) return tightest;
    group = group.parent_path();
  }
}

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

// Settings of the kernel that bear on distributed jobs, and its modules that do.
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

std::string upper(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return made;
}

// "https://user:password@proxy:3128": the password of a URL, wherever the variable is.
bool has_password(std::string_view value) {
  const std::size_t scheme = value.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view authority = base::word_of(value.substr(scheme + 3), '/');
  const std::size_t at = authority.rfind('@');
  return at != std::string_view::npos && authority.substr(0, at).find(':') != std::string_view::npos;
}

// A key, a password or a piece of base64 in whatever text: what people write by hand has no such words.
// Hashes in the names of folders have small letters alone.
bool has_opaque_word(std::string_view value) {
  constexpr std::size_t kShortestKey = 16;
  std::size_t letters = 0;
  bool has_small = false;
  bool has_capital = false;
  bool has_digit = false;
  for (const unsigned char letter : value) {
    if (std::isalnum(letter) == 0) {
      letters = 0;
      has_small = has_capital = has_digit = false;
      continue;
    }
    ++letters;
    has_small |= std::islower(letter) != 0;
    has_capital |= std::isupper(letter) != 0;
    has_digit |= std::isdigit(letter) != 0;
    if (letters >= kShortestKey && has_small && has_capital && has_digit) return true;
  }
  return false;
}

}  // namespace

bool is_secret(std::string_view name, std::string_view value) {
  constexpr std::string_view kWords[] = {"PASSWORD",   "PASSWD", "PASSPHRASE",  "SECRET",     "TOKEN",
                                         "CREDENTIAL", "APIKEY", "API_KEY",     "ACCESS_KEY", "PRIVATE_KEY",
                                         "AUTH",       "COOKIE", "SESSION_KEY", "SIGNATURE"};
  constexpr std::string_view kForms[] = {"-----BEGIN ", "eyJ",    "AKIA",        "ASIA",   "hf_", "ghp_",
                                         "gho_",        "ghs_",   "github_pat_", "glpat-", "sk-", "xoxb-",
                                         "AIza",        "nvapi-", "Basic ",      "Bearer "};
  // Names of authority files and agents, which are no secrets themselves and explain much.
  if (name == "SSH_AUTH_SOCK" || name == "XAUTHORITY") return false;
  const std::string shouted = upper(name);
  const auto is_in_name = [&](std::string_view word) { return shouted.find(word) != std::string::npos; };
  if (std::ranges::any_of(kWords, is_in_name) || shouted.ends_with("_KEY") || shouted.ends_with("_PAT"))
    return true;
  if (std::ranges::any_of(kForms, [&](std::string_view form) { return value.starts_with(form); }))
    return true;
  return has_password(value) || has_opaque_word(value);
}

std::map<std::string, std::string> masked(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> made;
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    const std::string name = entry.substr(0, equals);
    const std::string value = entry.substr(equals + 1);
    made[name] = !value.empty() && is_secret(name, value) ? std::string(kMasked) : value;
  }
  return made;
}

std::map<std::string, std::string> masked_environment() {
  return masked(process::own_environment());
}

namespace {

void take_identity(HostFacts& facts) {
  const process::Roots roots;
  facts.boot_id = base::trimmed(process::text_of(roots.proc / "sys/kernel/random/boot_id"));
  for (const char* name : {"net", "uts", "ipc", "mnt", "pid"}) {
    std::error_code fault;
    const fs::path target = fs::read_symlink(roots.proc / "self/ns" / name, fault);
    if (!fault) facts.namespaces[name] = target.string();
  }
  facts.by_root = ::geteuid() == 0;
}

std::string distribution() {
  const std::string text = process::text_of("/etc/os-release");
  return std::string(base::word_after(text, "PRETTY_NAME=\"", '"'));
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

void take_machine(HostFacts& facts) {
  const HostState host = read_host_state({.roots = {},
                                          .folders = {"/dev/shm"},
                                          .kernel_lines_since_ns = {},
                                          .time = std::chrono::milliseconds(1'500)});
  facts.name = host.name;
  facts.clock.is_synchronised = host.clock.is_synchronised;
  facts.clock.largest_error_us = host.clock.largest_error_us;
  facts.machine.cpus = usable_cpus();
  facts.machine.memory_bytes = host.memory.total_bytes;
  facts.machine.memory_limit_bytes = host.cgroup.memory_limit_bytes;
  facts.machine.cpu_quota = host.cgroup.cpu_quota;
  facts.machine.distribution = distribution();
  facts.machine.pids_limit = pids_limit();
  utsname kernel{};
  if (::uname(&kernel) == 0) facts.machine.kernel = kernel.release;
  struct stat shm {};
  if (!host.disks.empty() && ::stat("/dev/shm", &shm) == 0) {
    facts.shared_memory = SharedMemory{.total_bytes = host.disks[0].total_bytes,
                                       .free_bytes = host.disks[0].free_bytes,
                                       .device = shm.st_dev};
  } else {
    facts.unseen.emplace_back("shared memory: /dev/shm cannot be looked at");
  }
}

void take_files(HostFacts& facts) {
  std::vector<std::string> paths = {"/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/nccl.conf",
                                    "/etc/slurm/slurm.conf"};
  if (const auto home = facts.variable("HOME"); !home.empty())
    paths.push_back(fmt::format("{}/.nccl.conf", home));
  if (const auto own = facts.variable("NCCL_CONF_FILE"); !own.empty()) paths.emplace_back(own);
  constexpr std::size_t kMaxTextBytes = std::size_t{1} << 18;
  for (const std::string& path : paths)
    if (std::string text = process::text_of(path, kMaxTextBytes); !text.empty())
      facts.files[path] = std::move(text);
}

std::int64_t wall_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

HostFacts collect(const Request& request) {
  HostFacts facts;
  facts.collected_by = request.program;
  facts.environment = masked_environment();
  take_machine(facts);
  take_identity(facts);
  take_links(facts);
  take_firewall(facts);
  take_names(request.names, facts);
  take_listening(facts);
  take_sysctls(facts);
  take_limits(facts);
  take_gpus(facts);
  take_rdma(facts);
  take_modules(facts);
  take_software(facts);
  take_files(facts);
  take_versions(request.python, facts);
  facts.clock.wall_ns = wall_ns();
  return facts;
}

}  // namespace lockstep::hostinfo
