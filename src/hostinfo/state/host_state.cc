#include "hostinfo/state/host_state.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <system_error>
#include <thread>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/process/call_with_deadline.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "hostinfo/state/kernel_log.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = base::trimmed(line); !line.empty(); line = base::trimmed(line)) {
    words.push_back(base::word_of(line, " \t"));
    line.remove_prefix(words.back().size());
  }
  return words;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  return entries;
}

// "4: ACTIVE"
std::string infiniband_state(std::string_view text) {
  return std::string(base::trimmed(base::rest_after(text, ":")));
}

Link infiniband_port(const fs::path& device, const fs::path& port) {
  struct Counter {
    const char* file;
    const char* words;
  };
  constexpr std::array<Counter, 5> kCounters = {{{"link_downed", "times down"},
                                                 {"link_error_recovery", "error recoveries"},
                                                 {"symbol_error", "symbol errors"},
                                                 {"port_rcv_errors", "receive errors"},
                                                 {"port_xmit_discards", "transmit drops"}}};
  Link link{.name = device.filename().string() + "/" + port.filename().string(),
            .state = infiniband_state(process::text_of(port / "state")),
            .troubles = {}};
  for (const Counter& counter : kCounters) {
    if (const auto count = process::number_in_file(port / "counters" / counter.file))
      link.troubles[counter.words] = *count;
  }
  return link;
}

bool was_never_used(const Link& link) {
  return link.state == "down" &&
         std::ranges::all_of(link.troubles, [](const auto& trouble) { return trouble.second == 0; });
}

}  // namespace

std::vector<Link> parse_net_dev(std::string_view text) {
  std::vector<Link> links;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = base::trimmed(line->substr(0, colon));
    const std::vector<std::string_view> counts = words_of(line->substr(colon + 1));
    constexpr std::size_t kColumns = 16;
    if (name == "lo" || counts.size() < kColumns) continue;
    const auto at = [&](std::size_t column) {
      return base::number_in<std::uint64_t>(counts[column]).value_or(0);
    };
    links.push_back({.name = std::string(name),
                     .state = "",
                     .troubles = {{"receive errors", at(2)},
                                  {"receive drops", at(3)},
                                  {"transmit errors", at(10)},
                                  {"transmit drops", at(11)}}});
  }
  return links;
}

std::optional<std::uint64_t> parse_sent_again(std::string_view text) {
  std::vector<std::string_view> names;
  base::Lines lines(text);
  while (const auto line = lines.next()) {
    if (!line->starts_with("Tcp:")) continue;
    const std::vector<std::string_view> words = words_of(*line);
    if (names.empty()) {
      names = words;
      continue;
    }
    const auto place = static_cast<std::size_t>(std::ranges::find(names, "RetransSegs") - names.begin());
    return place < words.size() ? base::number_in<std::uint64_t>(words[place]) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<Link> read_links(const process::Roots& roots) {
  std::vector<Link> links = parse_net_dev(process::text_of(roots.proc / "net/dev"));
  for (Link& link : links) {
    const fs::path folder = roots.sys / "class/net" / link.name;
    link.state = base::trimmed(process::text_of(folder / "operstate"));
    if (const auto count = process::number_in_file(folder / "carrier_changes"))
      link.troubles["carrier changes"] = *count;
  }
  std::erase_if(links, was_never_used);
  for (const fs::path& device : entries_of(roots.sys / "class/infiniband")) {
    for (const fs::path& port : entries_of(device / "ports")) links.push_back(infiniband_port(device, port));
  }
  return links;
}

namespace {

using Deadline = std::chrono::steady_clock::time_point;

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Clock read_clock() {
  timex kept{};
  const int result = ::adjtimex(&kept);
  return {.wall_ns = nanoseconds_of(CLOCK_REALTIME),
          .is_synchronised = result >= 0 && result != TIME_ERROR && (kept.status & STA_UNSYNC) == 0,
          .largest_error_us = kept.maxerror};
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

using DiskCall = process::CallWithDeadline<std::optional<Disk>>;

std::vector<DiskCall> ask_for_disks(const std::vector<fs::path>& folders) {
  std::vector<DiskCall> asked;
  for (const fs::path& folder : folders) asked.emplace_back([folder] { return disk_of(folder); });
  return asked;
}

void take_disks(std::vector<DiskCall>& asked, const std::vector<fs::path>& folders, Deadline deadline,
                HostState& state) {
  for (std::size_t at = 0; at < folders.size(); ++at) {
    const auto disk = asked[at].answer_until(deadline);
    if (!disk) {
      state.limits.push_back(fmt::format("{}: its file system did not answer in time", folders[at].string()));
    } else if (*disk) {
      state.disks.push_back(**disk);
    }
  }
}

void take_gpus(process::CallWithDeadline<GpuStates>& asked, Deadline deadline, HostState& state) {
  auto gpus = asked.answer_until(deadline);
  if (!gpus) {
    state.limits.emplace_back("the GPU driver did not answer in time");
    return;
  }
  state.gpus = std::move(gpus->gpus);
  if (!gpus->why_not.empty()) state.limits.push_back(std::move(gpus->why_not));
}

void take_kernel_log(std::int64_t since_ns, HostState& state) {
  KernelLog log = kernel_log_since(since_ns);
  state.kernel_lines = std::move(log.lines);
  if (!log.why_not.empty()) state.limits.push_back(std::move(log.why_not));
}

using Count = std::optional<std::uint64_t>;

// Counters begin again when a driver is loaded again; then nothing can be said.
std::uint64_t growth(const Count& before, const Count& now) {
  return before && now && *now > *before ? *now - *before : 0;
}

void add_links(const HostState& before, const HostState& now, std::vector<std::string>& said) {
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

void add_gpus(const HostState& before, const HostState& now, std::vector<std::string>& said) {
  for (const GpuState& gpu : now.gpus) {
    if (!gpu.fault.empty()) said.push_back(fmt::format("GPU {}: {}", gpu.gpu.index, gpu.fault));
    for (const std::string& reason : gpu.slowed_by)
      said.push_back(fmt::format("GPU {}: slowed by {}", gpu.gpu.index, reason));
    const auto same =
        std::ranges::find(before.gpus, gpu.gpu.index, [](const GpuState& one) { return one.gpu.index; });
    if (same == before.gpus.end()) continue;
    if (const auto more = growth(same->memory_errors_uncorrected, gpu.memory_errors_uncorrected); more > 0) {
      said.push_back(
          fmt::format("GPU {}: {} more memory errors that could not be corrected", gpu.gpu.index, more));
    }
  }
  if (now.gpus.size() < before.gpus.size()) {
    said.push_back(fmt::format("{} of {} GPUs are left", now.gpus.size(), before.gpus.size()));
  }
}

void add_disks(const HostState& now, std::vector<std::string>& said) {
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

Memory parse_meminfo(std::string_view text) {
  return {.total_bytes = process::kilobytes_behind(text, "MemTotal:"),
          .available_bytes = process::kilobytes_behind(text, "MemAvailable:"),
          .swap_total_bytes = process::kilobytes_behind(text, "SwapTotal:"),
          .swap_free_bytes = process::kilobytes_behind(text, "SwapFree:")};
}

std::optional<Load> parse_loadavg(std::string_view text) {
  Load load;
  for (double* const value : {&load.one_minute, &load.five_minutes, &load.fifteen_minutes}) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), *value);
    if (fault != std::errc{}) return std::nullopt;
    text = base::trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  }
  return load;
}

HostState read_host_state(const HostStateRequest& request) {
  const Deadline deadline = std::chrono::steady_clock::now() + request.time;
  process::CallWithDeadline<GpuStates> gpus([] { return read_gpus(); });
  std::vector<DiskCall> disks = ask_for_disks(request.folders);
  const process::Roots& roots = request.roots;
  HostState state;
  state.name = host_name();
  state.clock = read_clock();
  state.monotonic_ns = nanoseconds_of(CLOCK_MONOTONIC);
  state.load = parse_loadavg(process::text_of(roots.proc / "loadavg"));
  state.cpus = std::thread::hardware_concurrency();
  state.memory = parse_meminfo(process::text_of(roots.proc / "meminfo"));
  state.cgroup = read_cgroup(roots, "self");
  state.oom_kills = process::number_behind(process::text_of(roots.proc / "vmstat"), "oom_kill ");
  state.links = read_links(roots);
  state.tcp_segments_sent_again = parse_sent_again(process::text_of(roots.proc / "net/snmp"));
  if (request.kernel_lines_since_ns) take_kernel_log(*request.kernel_lines_since_ns, state);
  take_disks(disks, request.folders, deadline, state);
  take_gpus(gpus, deadline, state);
  return state;
}

std::optional<Disk> disk_of(const std::filesystem::path& folder) {
  struct statvfs told {};
  if (::statvfs(folder.c_str(), &told) != 0) return std::nullopt;
  return Disk{.folder = folder.string(),
              .total_bytes = std::uint64_t{told.f_blocks} * told.f_frsize,
              .free_bytes = std::uint64_t{told.f_bavail} * told.f_frsize,
              .free_files = std::uint64_t{told.f_favail}};
}

std::vector<std::string> changes(const HostState& before, const HostState& now) {
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

}  // namespace lockstep::hostinfo
