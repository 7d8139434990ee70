#include "hostinfo/collect/collect.h"

#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "hostinfo/collect/devices.h"
#include "hostinfo/collect/environment.h"
#include "hostinfo/collect/firewall.h"
#include "hostinfo/collect/limits.h"
#include "hostinfo/collect/links.h"
#include "hostinfo/collect/resolver.h"
#include "hostinfo/collect/sockets.h"
#include "hostinfo/collect/software.h"
#include "hostinfo/collect/sysctls.h"
#include "hostinfo/collect/versions.h"
#include "hostinfo/state/host_state.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

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
  constexpr std::size_t kLargest = std::size_t{1} << 18;
  for (const std::string& path : paths)
    if (std::string text = process::text_of(path, kLargest); !text.empty())
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
