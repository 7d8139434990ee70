#include "run/evidence/host_facts.h"

#include <charconv>
#include <sys/timex.h>
#include <thread>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/process/call_with_deadline.h"
#include "base/process/proc_files.h"
#include "base/text_fields.h"
#include "run/evidence/kernel_log.h"

namespace lockstep::evidence {
namespace {

namespace fs = std::filesystem;
using Deadline = std::chrono::steady_clock::time_point;

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Clocks read_clocks() {
  timex kept{};
  const int state = ::adjtimex(&kept);
  return {.wall_ns = nanoseconds_of(CLOCK_REALTIME),
          .monotonic_ns = nanoseconds_of(CLOCK_MONOTONIC),
          .is_synchronised = state >= 0 && state != TIME_ERROR && (kept.status & STA_UNSYNC) == 0,
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
                HostFacts& facts) {
  for (std::size_t at = 0; at < folders.size(); ++at) {
    const auto disk = asked[at].answer_until(deadline);
    if (!disk) {
      facts.limits.push_back(fmt::format("{}: its file system did not answer in time", folders[at].string()));
    } else if (*disk) {
      facts.disks.push_back(**disk);
    }
  }
}

void take_gpus(process::CallWithDeadline<Gpus>& asked, Deadline deadline, HostFacts& facts) {
  auto gpus = asked.answer_until(deadline);
  if (!gpus) {
    facts.limits.emplace_back("the GPU driver did not answer in time");
    return;
  }
  facts.gpus = std::move(gpus->gpus);
  if (!gpus->why_not.empty()) facts.limits.push_back(std::move(gpus->why_not));
}

void take_kernel_log(std::int64_t since_ns, HostFacts& facts) {
  KernelLog log = kernel_log_since(since_ns);
  facts.kernel_lines = std::move(log.lines);
  if (!log.why_not.empty()) facts.limits.push_back(std::move(log.why_not));
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

HostFacts facts_of_host(const HostRequest& request) {
  const Deadline deadline = std::chrono::steady_clock::now() + request.time;
  process::CallWithDeadline<Gpus> gpus([] { return gpus_of_host(); });
  std::vector<DiskCall> disks = ask_for_disks(request.folders);
  const process::Roots& roots = request.roots;
  HostFacts facts;
  facts.name = host_name();
  facts.clocks = read_clocks();
  facts.load = parse_loadavg(process::text_of(roots.proc / "loadavg"));
  facts.cpus = std::thread::hardware_concurrency();
  facts.memory = parse_meminfo(process::text_of(roots.proc / "meminfo"));
  facts.cgroup = cgroup_of(roots, "self");
  facts.oom_kills = process::number_behind(process::text_of(roots.proc / "vmstat"), "oom_kill ");
  facts.links = links_of_host(roots);
  facts.tcp_segments_sent_again = parse_sent_again(process::text_of(roots.proc / "net/snmp"));
  if (request.kernel_lines_since_ns) take_kernel_log(*request.kernel_lines_since_ns, facts);
  take_disks(disks, request.folders, deadline, facts);
  take_gpus(gpus, deadline, facts);
  return facts;
}

}  // namespace lockstep::evidence
