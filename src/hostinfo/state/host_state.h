// The state of this host, at the beginning of a job and when a fault is seen: the difference tells most.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/proc_files.h"
#include "hostinfo/host_facts.h"
#include "hostinfo/state/cgroup.h"

namespace lockstep::hostinfo {

// NVIDIA GPUs, asked through the driver's own library where there is one; nothing is linked.
struct GpuState {
  Gpu gpu;  // its pci as the kernel's log has it in Xid lines: "00000000:3B:00.0"
  std::optional<unsigned> busy_percent;
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<unsigned> celsius;
  std::vector<std::string> slowed_by;  // why its clocks are lower than they could be; idleness does not count
  std::optional<std::uint64_t> memory_errors_corrected;
  std::optional<std::uint64_t> memory_errors_uncorrected;
  std::string fault;  // what the driver says when it does not answer for it: "GPU is lost"
};

struct GpuStates {
  std::vector<GpuState> gpus;
  std::string why_not;  // the driver is there and does not work; empty where there is none
};

// May never return where the driver is stuck.
GpuStates read_gpus();

std::vector<std::string> slowdowns_in_words(std::uint64_t reasons);

// Counters of network interfaces and InfiniBand ports: what went wrong on them since the host started.
struct Link {
  std::string name;                               // "eth0", "mlx5_0/1"
  std::string state;                              // "up", "ACTIVE"
  std::map<std::string, std::uint64_t> troubles;  // "receive errors": 12

  bool operator==(const Link&) const = default;
};

// The counters of /proc/net/dev, without the loopback.
std::vector<Link> parse_net_dev(std::string_view text);

// RetransSegs of /proc/net/snmp: segments of TCP that had to be sent again.
std::optional<std::uint64_t> parse_sent_again(std::string_view text);

std::vector<Link> read_links(const process::Roots& roots);

struct Memory {
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> available_bytes;
  std::optional<std::uint64_t> swap_total_bytes;
  std::optional<std::uint64_t> swap_free_bytes;

  bool operator==(const Memory&) const = default;
};
Memory parse_meminfo(std::string_view text);

struct Load {
  double one_minute = 0;
  double five_minutes = 0;
  double fifteen_minutes = 0;

  bool operator==(const Load&) const = default;
};
std::optional<Load> parse_loadavg(std::string_view text);

// Room on a file system the job writes to.
struct Disk {
  std::string folder;
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;  // for this user
  std::uint64_t free_files = 0;
};

// May never return where a server is dead.
std::optional<Disk> disk_of(const std::filesystem::path& folder);

struct HostState {
  std::string name;
  Clock clock;
  std::int64_t monotonic_ns = 0;  // since the host started, as in the kernel's log
  std::optional<Load> load;
  unsigned cpus = 0;
  Memory memory;
  CgroupState cgroup;                      // of this process, in which the job runs
  std::optional<std::uint64_t> oom_kills;  // since the host started
  std::vector<Disk> disks;
  std::vector<Link> links;
  std::optional<std::uint64_t> tcp_segments_sent_again;
  std::vector<GpuState> gpus;
  std::vector<std::string> kernel_lines;  // of its log, what bears on jobs
  std::vector<std::string> limits;
};

struct HostStateRequest {
  process::Roots roots;
  std::vector<std::filesystem::path> folders;         // whose disks matter: of the recording, /dev/shm, /tmp
  std::optional<std::int64_t> kernel_lines_since_ns;  // monotonic; empty: none
  std::chrono::milliseconds time{1'500};  // then what does not answer (a dead NFS, a driver) is left out
};
HostState read_host_state(const HostStateRequest& request);

// "eth0: 12 more receive errors": what got worse, for people.
std::vector<std::string> changes(const HostState& before, const HostState& now);

}  // namespace lockstep::hostinfo
