// The machine under the job: limits, shared memory, memory, clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::network {

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

}  // namespace lockstep::network
