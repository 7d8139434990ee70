#include "service/engine/memory_limit.h"

#include <algorithm>
#include <fcntl.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "base/text_fields.h"

namespace lockstep::service {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestTable = 1 << 20;

// Where groups that limit memory are mounted; of both versions.
struct Hierarchy {
  fs::path mount;
  std::string root;  // the group that the mount shows as its root
  bool is_first_version = false;
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool names_memory(std::string_view list) {
  while (!list.empty()) {
    const std::string_view one = base::word_of(list, ',');
    if (one == "memory") return true;
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return false;
}

// "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
std::optional<Hierarchy> hierarchy_in(const std::string& line) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string::npos) return std::nullopt;
  const std::vector<std::string> before = words_of(line.substr(0, dash));
  const std::vector<std::string> behind = words_of(line.substr(dash + 3));
  if (before.size() < 5 || behind.size() < 3) return std::nullopt;
  const bool is_first = behind[0] == "cgroup" && names_memory(behind[2]);
  if (!is_first && behind[0] != "cgroup2") return std::nullopt;
  return Hierarchy{before[4], before[3], is_first};
}

// "4:memory:/a/b" or "0::/a/b"
std::optional<std::string> own_group_in(const Hierarchy& hierarchy, const std::string& table) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const bool is_meant = hierarchy.is_first_version ? names_memory(controllers) : line.starts_with("0:");
    if (is_meant) return line.substr(second + 1);
  }
  return std::nullopt;
}

fs::path below(const Hierarchy& hierarchy, const std::string& group) {
  const bool is_shown = hierarchy.root != "/" && group.starts_with(hierarchy.root);
  return hierarchy.mount / fs::path(is_shown ? group.substr(hierarchy.root.size()) : group).relative_path();
}

struct OwnPlace {
  fs::path folder;
  fs::path top;  // of what is mounted
};

std::vector<OwnPlace> own_places() {
  std::vector<OwnPlace> places;
  const auto mounts = base::read_file("/proc/self/mountinfo", kLargestTable);
  const auto groups = base::read_file("/proc/self/cgroup", kLargestTable);
  if (!mounts.ok() || !groups.ok()) return places;
  std::istringstream lines(mounts.value());
  for (std::string line; std::getline(lines, line);) {
    const auto hierarchy = hierarchy_in(line);
    if (!hierarchy) continue;
    if (const auto own = own_group_in(*hierarchy, groups.value()))
      places.push_back({below(*hierarchy, *own), hierarchy->mount});
  }
  return places;
}

bool write_to(const fs::path& path, const std::string& text) {
  const process::Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() && base::write_all(file.get(), text);
}

bool go_to(const fs::path& group) {
  return write_to(group / "cgroup.procs", std::to_string(::getpid()));
}

// Swap is no way around the limit; where there is none, nothing is written.
bool limit(const fs::path& group, std::int64_t bytes) {
  const std::string text = std::to_string(bytes);
  if (write_to(group / "memory.max", text)) {
    write_to(group / "memory.swap.max", "0");
    return true;
  }
  if (!write_to(group / "memory.limit_in_bytes", text)) return false;
  write_to(group / "memory.memsw.limit_in_bytes", text);
  return true;
}

}  // namespace

// Beside this process where its own group may have no children, as in the second version.
std::optional<MemoryGroup> MemoryGroup::enter(const std::string& name, std::int64_t bytes) {
  for (const OwnPlace& place : own_places()) {
    for (const fs::path& parent : {place.folder, place.folder.parent_path()}) {
      const fs::path group = parent / name;
      if (!parent.string().starts_with(place.top.string()) || ::mkdir(group.c_str(), 0700) != 0) continue;
      if (limit(group, bytes) && go_to(group)) return MemoryGroup(group, place.folder);
      ::rmdir(group.c_str());
    }
  }
  return std::nullopt;
}

MemoryGroup::~MemoryGroup() {
  if (group_.empty()) return;
  step_out();
  ::rmdir(group_.c_str());
}

void MemoryGroup::step_out() const {
  go_to(before_);
}

bool MemoryGroup::has_killed() const {
  for (const char* file : {"memory.events", "memory.oom_control"}) {
    const auto text = base::read_file(group_ / file, kLargestTable);
    if (!text.ok()) continue;
    if (const auto count = base::word_after(text.value(), "oom_kill ", '\n'); count != "" && count != "0")
      return true;
  }
  return false;
}

void remove_memory_group(const std::string& name) {
  for (const OwnPlace& place : own_places()) {
    ::rmdir((place.folder / name).c_str());
    ::rmdir((place.folder.parent_path() / name).c_str());
  }
}

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
