// The state of this host, at the beginning of a job and when a fault is seen: the difference tells most.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/process/proc_files.h"
#include "hostinfo/state/cgroup.h"
#include "hostinfo/state/gpus.h"
#include "hostinfo/state/host_state.h"
#include "hostinfo/state/links.h"

namespace lockstep::hostinfo {

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
