// What keeps a rank within the memory that it was given: the kernel's group for all its processes together
// where one can be made, else a limit for the data of each of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/engine/plan.h"

namespace lockstep::service {

// The kernel's own limit for the memory of a rank and everything it starts: a control group, where this user
// may make one.

class MemoryGroup {
 public:
  // Makes the group and puts this process into it; its children will be there from their first moment. None:
  // there is no place for groups, or it is not ours to use.
  static std::optional<MemoryGroup> enter(const std::string& name, std::int64_t bytes);
  MemoryGroup(MemoryGroup&& other) noexcept
      : group_(std::exchange(other.group_, {})), before_(std::move(other.before_)) {}
  MemoryGroup& operator=(MemoryGroup&&) = delete;
  ~MemoryGroup();  // steps out and removes the group

  // This process goes back to where it was; its children stay.
  void step_out() const;

  // Whether the kernel killed a process of it.
  bool has_killed() const;

 private:
  MemoryGroup(std::filesystem::path group, std::filesystem::path before)
      : group_(std::move(group)), before_(std::move(before)) {}

  std::filesystem::path group_;
  std::filesystem::path before_;
};

// Removes the group of a process that was killed before it could.
void remove_memory_group(const std::string& name);

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
