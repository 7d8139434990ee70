// What this machine has to give.
#pragma once

#include <set>
#include <vector>

#include "base/result.h"
#include "service/job/job.h"

namespace lockstep::service {

struct Machine {
  Resources total;
  std::vector<int> gpus;  // their numbers
};

// Cores this process may use, memory, NVIDIA GPUs.
Machine this_machine();

// Ports of the loopback address that nobody listens on, below those that the kernel hands out by itself, and
// none of `taken`.
Result<std::vector<int>> free_ports(int count, const std::set<int>& taken);

}  // namespace lockstep::service
