#include <algorithm>

#include <fmt/format.h>

#include "run/evidence/host_facts.h"

namespace lockstep::evidence {
namespace {

using Count = std::optional<std::uint64_t>;

// Counters begin again when a driver is loaded again; then nothing can be said.
std::uint64_t growth(const Count& before, const Count& now) {
  return before && now && *now > *before ? *now - *before : 0;
}

void add_links(const HostFacts& before, const HostFacts& now, std::vector<std::string>& said) {
  for (const Link& link : now.links) {
    const auto same = std::ranges::find(before.links, link.name, &Link::name);
    if (same == before.links.end()) continue;
    for (const auto& [trouble, count] : link.troubles) {
      const auto earlier = same->troubles.find(trouble);
      if (earlier == same->troubles.end()) continue;
      if (const auto more = growth(earlier->second, count); more > 0) {
        said.push_back(fmt::format("{}: {} more {}", link.name, more, trouble));
      }
    }
    if (link.state != same->state)
      said.push_back(fmt::format("{}: was {}, is {}", link.name, same->state, link.state));
  }
  for (const Link& link : before.links) {
    const bool is_there = std::ranges::find(now.links, link.name, &Link::name) != now.links.end();
    if (!is_there) said.push_back(fmt::format("{}: is gone", link.name));
  }
}

void add_gpus(const HostFacts& before, const HostFacts& now, std::vector<std::string>& said) {
  for (const Gpu& gpu : now.gpus) {
    if (!gpu.fault.empty()) said.push_back(fmt::format("GPU {}: {}", gpu.index, gpu.fault));
    for (const std::string& reason : gpu.slowed_by)
      said.push_back(fmt::format("GPU {}: slowed by {}", gpu.index, reason));
    const auto same = std::ranges::find(before.gpus, gpu.index, &Gpu::index);
    if (same == before.gpus.end()) continue;
    if (const auto more = growth(same->memory_errors_uncorrected, gpu.memory_errors_uncorrected); more > 0) {
      said.push_back(
          fmt::format("GPU {}: {} more memory errors that could not be corrected", gpu.index, more));
    }
  }
  if (now.gpus.size() < before.gpus.size()) {
    said.push_back(fmt::format("{} of {} GPUs are left", now.gpus.size(), before.gpus.size()));
  }
}

void add_disks(const HostFacts& now, std::vector<std::string>& said) {
  constexpr std::uint64_t kLittleRoom = 64U << 20U;
  for (const Disk& disk : now.disks) {
    if (disk.total_bytes > 0 && disk.free_bytes < std::min(kLittleRoom, disk.total_bytes / 20)) {
      said.push_back(fmt::format("{}: {} MiB are free", disk.folder, disk.free_bytes >> 20U));
    }
    if (disk.total_bytes > 0 && disk.free_files == 0)
      said.push_back(fmt::format("{}: no file can be made", disk.folder));
  }
}

}  // namespace

std::vector<std::string> changes(const HostFacts& before, const HostFacts& now) {
  std::vector<std::string> said;
  if (const auto more = growth(before.oom_kills, now.oom_kills); more > 0) {
    said.push_back(fmt::format("the kernel ended {} processes for lack of memory", more));
  }
  if (const auto more = growth(before.cgroup.times_throttled, now.cgroup.times_throttled); more > 0) {
    said.push_back(fmt::format("the CPU quota of the control group held processes back {} times", more));
  }
  if (const auto more = growth(before.tcp_segments_sent_again, now.tcp_segments_sent_again); more > 0) {
    said.push_back(fmt::format("TCP sent {} segments again", more));
  }
  add_links(before, now, said);
  add_gpus(before, now, said);
  add_disks(now, said);
  return said;
}

}  // namespace lockstep::evidence
