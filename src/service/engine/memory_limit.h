// What keeps a rank within the memory that it was given: the kernel's group for all its processes together
// where one can be made, else a limit for the data of each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/engine/memory_group.h"
#include "service/engine/plan.h"

namespace lockstep::service {

class MemoryLimit {
 public:
  // In force for this process and what it starts.
  MemoryLimit(const Plan& plan, int rank);

  // The rank runs: from now on the group is for it alone, and the kernel has nobody else to kill.
  void leave_to_rank() const;

  // The kernel killed a process at the limit; what is to be said of it.
  std::optional<std::string> kill_in_words() const;
  // Whether a rank that failed and printed this last failed at its limit.
  bool was_hit(const std::vector<std::string>& last_lines) const;

 private:
  std::int64_t bytes_;
  std::optional<MemoryGroup> group_;
};

std::string memory_in_words(std::int64_t bytes);  // "64 MiB"

// What ranks leave behind that were killed together with their wrappers.
void remove_memory_groups(const Plan& plan);

}  // namespace lockstep::service
