// NVIDIA GPUs, asked through the driver's own library where there is one; nothing is linked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

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

}  // namespace lockstep::hostinfo
