// What the control group of a process allows it: in a container or a Slurm step less than the host has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/process/proc_files.h"

namespace lockstep::hostinfo {

// The lines of /proc/PID/cgroup that matter, for both versions of the kernel's interface.
struct CgroupPlaces {
  std::optional<std::string> unified;  // version 2
  std::optional<std::string> memory;   // version 1
  std::optional<std::string> cpu;

  bool operator==(const CgroupPlaces&) const = default;
};
CgroupPlaces parse_cgroup_places(std::string_view text);

struct CgroupState {
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> memory_limit_bytes;  // the tightest of the group and those above it
  std::optional<std::uint64_t> oom_kills;
  std::optional<double> cpu_quota;  // CPUs
  std::optional<std::uint64_t> times_throttled;

  bool operator==(const CgroupState&) const = default;
};
CgroupState read_cgroup(const process::Roots& roots, std::string_view process);  // "self" or a pid

// "max 100000" and "150000 100000" of cpu.max
std::optional<double> parse_cpu_max(std::string_view text);

}  // namespace lockstep::hostinfo
