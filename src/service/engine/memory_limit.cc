#include "service/engine/memory_limit.h"

#include <algorithm>
#include <sys/resource.h>

#include <fmt/format.h>

namespace lockstep::service {
namespace {

std::string group_of(const Plan& plan, int rank) {
  return fmt::format("lockstep-{}-{}-{}", plan.job_id, plan.attempt, rank);
}

void limit_each_process(std::int64_t bytes) {
  const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  ::setrlimit(RLIMIT_DATA, &limit);
}

bool tells_of_refused_memory(const std::string& line) {
  constexpr std::string_view kWords[] = {"MemoryError", "std::bad_alloc", "Cannot allocate memory",
                                         "can't allocate memory", "Unable to allocate"};
  return std::ranges::any_of(kWords,
                             [&](std::string_view words) { return line.find(words) != std::string::npos; });
}

}  // namespace

MemoryLimit::MemoryLimit(const Plan& plan, int rank)
    : bytes_(plan.memory_per_worker),
      group_(bytes_ > 0 ? MemoryGroup::enter(group_of(plan, rank), bytes_) : std::nullopt) {
  if (bytes_ > 0 && !group_) limit_each_process(bytes_);
}

void MemoryLimit::leave_to_rank() const {
  if (group_) group_->step_out();
}

std::optional<std::string> MemoryLimit::kill_in_words() const {
  if (!group_ || !group_->has_killed()) return std::nullopt;
  return fmt::format(
      "lockstep: Memory cgroup out of memory: the kernel killed a process of this rank at its limit of {}\n",
      memory_in_words(bytes_));
}

bool MemoryLimit::was_hit(const std::vector<std::string>& last_lines) const {
  if (bytes_ <= 0) return false;
  return group_ ? group_->has_killed() : std::ranges::any_of(last_lines, tells_of_refused_memory);
}

std::string memory_in_words(std::int64_t bytes) {
  constexpr std::int64_t kMebi = 1 << 20;
  return bytes % kMebi == 0 ? fmt::format("{} MiB", bytes / kMebi) : fmt::format("{} bytes", bytes);
}

void remove_memory_groups(const Plan& plan) {
  if (plan.memory_per_worker <= 0) return;
  for (int rank = 0; rank < plan.workers; ++rank) remove_memory_group(group_of(plan, rank));
}

}  // namespace lockstep::service
