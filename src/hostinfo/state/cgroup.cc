#include "hostinfo/state/cgroup.h"

#include <algorithm>
#include <vector>

#include "base/lines.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

// Version 1 prints the largest number of pages where there is no limit.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

// A group, those above it, and the mount itself: inside a container the path is often that of the host.
std::vector<fs::path> folders_of(const fs::path& mount, const std::string& place) {
  std::vector<fs::path> folders;
  fs::path below = fs::path(place).relative_path().lexically_normal();
  while (!below.empty() && below != "." && *below.begin() != "..") {
    folders.push_back(mount / below);
    below = below.parent_path();
  }
  folders.push_back(mount);
  return folders;
}

template <typename T>
void keep_first(std::optional<T>& kept, const std::optional<T>& found) {
  if (!kept) kept = found;
}

struct MemoryFiles {
  const char* used;
  const char* limit;
  const char* events;
};
constexpr MemoryFiles kMemoryV1{"memory.usage_in_bytes", "memory.limit_in_bytes", "memory.oom_control"};
constexpr MemoryFiles kMemoryV2{"memory.current", "memory.max", "memory.events"};

void read_memory(const std::vector<fs::path>& folders, const MemoryFiles& files, CgroupState& state) {
  for (const fs::path& folder : folders) {
    keep_first(state.oom_kills, process::number_behind(process::text_of(folder / files.events), "oom_kill "));
    const auto used = process::number_in_file(folder / files.used);
    keep_first(state.memory_bytes, used);
    const auto limit = process::number_in_file(folder / files.limit);
    if (!limit || *limit >= kNoLimit || limit >= state.memory_limit_bytes.value_or(kNoLimit)) continue;
    state.memory_limit_bytes = limit;
    state.memory_bytes = used;
  }
}

std::optional<double> quota_v1(const fs::path& folder) {
  const auto quota =
      base::number_in<std::int64_t>(base::trimmed(process::text_of(folder / "cpu.cfs_quota_us")));
  const auto period =
      base::number_in<std::int64_t>(base::trimmed(process::text_of(folder / "cpu.cfs_period_us")));
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

void read_cpu(const std::vector<fs::path>& folders, CgroupState& state) {
  for (const fs::path& folder : folders) {
    keep_first(state.times_throttled,
               process::number_behind(process::text_of(folder / "cpu.stat"), "nr_throttled "));
    auto quota = parse_cpu_max(process::text_of(folder / "cpu.max"));
    if (!quota) quota = quota_v1(folder);
    if (quota) state.cpu_quota = std::min(*quota, state.cpu_quota.value_or(*quota));
  }
}

}  // namespace

CgroupPlaces parse_cgroup_places(std::string_view text) {
  CgroupPlaces places;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    std::string_view rest = base::rest_after(*line, ":");
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view controllers = rest.substr(0, colon);
    const std::string place(rest.substr(colon + 1));
    if (controllers.empty()) places.unified = place;
    while (!controllers.empty()) {
      const std::string_view controller = base::word_of(controllers, ',');
      if (controller == "memory") places.memory = place;
      if (controller == "cpu") places.cpu = place;
      controllers.remove_prefix(std::min(controllers.size(), controller.size() + 1));
    }
  }
  return places;
}

CgroupState read_cgroup(const process::Roots& roots, std::string_view process) {
  const CgroupPlaces places = parse_cgroup_places(process::text_of(roots.proc / process / "cgroup"));
  const fs::path mount = roots.sys / "fs/cgroup";
  CgroupState state;
  if (places.memory) read_memory(folders_of(mount / "memory", *places.memory), kMemoryV1, state);
  if (places.cpu) read_cpu(folders_of(mount / "cpu", *places.cpu), state);
  if (places.unified) {
    const std::vector<fs::path> folders = folders_of(mount, *places.unified);
    if (!places.memory) read_memory(folders, kMemoryV2, state);
    if (!places.cpu) read_cpu(folders, state);
  }
  return state;
}

std::optional<double> parse_cpu_max(std::string_view text) {
  text = base::trimmed(text);
  const auto quota = base::number_in<std::int64_t>(base::word_of(text));
  const auto period = base::number_in<std::int64_t>(base::rest_after(text, " "));
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace lockstep::hostinfo
