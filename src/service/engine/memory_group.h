// The kernel's own limit for the memory of a rank and everything it starts: a control group, where this user
// may make one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace lockstep::service {

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

}  // namespace lockstep::service
