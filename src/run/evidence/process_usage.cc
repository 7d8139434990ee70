#include "run/evidence/process_usage.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "base/text_fields.h"
#include "hostinfo/state/cgroup.h"

namespace lockstep::evidence {
namespace {

namespace fs = std::filesystem;

// The field of /proc/PID/stat with this number, as proc(5) counts them.
std::uint64_t stat_field(std::string_view text, int wanted) {
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos) return 0;
  std::string_view rest = base::trimmed(text.substr(bracket + 1));
  for (int field = 3; !rest.empty(); ++field) {
    const std::string_view word = base::word_of(rest, ' ');
    if (field == wanted) return base::number_in<std::uint64_t>(word).value_or(0);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return 0;
}

// "ran_ns waited_ns times"
double core_wait_of(const fs::path& folder) {
  constexpr std::size_t kMaxThreads = 256;
  std::uint64_t waited_ns = 0;
  std::size_t threads = 0;
  std::error_code fault;
  for (fs::directory_iterator entry(folder / "task", fault), end; !fault && entry != end;
       entry.increment(fault)) {
    if (++threads > kMaxThreads) break;
    const std::string text = process::text_of(entry->path() / "schedstat");
    std::string_view rest = text;
    rest.remove_prefix(std::min(rest.size(), base::word_of(rest, ' ').size() + 1));
    waited_ns += base::number_in<std::uint64_t>(base::word_of(rest, ' ')).value_or(0);
  }
  return static_cast<double>(waited_ns) / 1e9;
}

double throttled_of(const process::Roots& roots, const fs::path& folder) {
  const hostinfo::CgroupPlaces places = hostinfo::parse_cgroup_places(process::text_of(folder / "cgroup"));
  if (places.unified) {
    const std::string text =
        process::text_of(fs::path(roots.sys.native() + "/fs/cgroup" + *places.unified) / "cpu.stat");
    return static_cast<double>(process::number_behind(text, "throttled_usec").value_or(0)) / 1e6;
  }
  if (!places.cpu) return 0;
  const std::string text =
      process::text_of(fs::path(roots.sys.native() + "/fs/cgroup/cpu" + *places.cpu) / "cpu.stat");
  return static_cast<double>(process::number_behind(text, "throttled_time").value_or(0)) / 1e9;
}

}  // namespace

std::optional<ProcessUsage> usage_of_process(const process::Roots& roots, pid_t pid) {
  constexpr int kMajorFaults = 12;
  constexpr int kDiskTicks = 42;
  const fs::path folder = roots.proc / std::to_string(pid);
  const std::string text = process::text_of(folder / "stat");
  const auto stat = process::parse_stat(text);
  if (!stat || stat->state == 'Z') return std::nullopt;
  static const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  ProcessUsage usage;
  usage.cpu_s = static_cast<double>(stat->user_ticks + stat->system_ticks) / ticks_a_second;
  usage.core_wait_s = core_wait_of(folder);
  usage.disk_wait_s = static_cast<double>(stat_field(text, kDiskTicks)) / ticks_a_second;
  usage.throttled_s = throttled_of(roots, folder);
  usage.major_faults = stat_field(text, kMajorFaults);
  usage.swapped_bytes = process::parse_status(process::text_of(folder / "status")).swapped_bytes.value_or(0);
  return usage;
}

std::optional<double> processor_pressure(const process::Roots& roots) {
  const std::string text = process::text_of(roots.proc / "pressure/cpu");
  const std::size_t at = text.find("some avg10=");
  if (at == std::string::npos) return std::nullopt;
  constexpr double kPercent = 100;
  return std::strtod(text.c_str() + at + std::string_view("some avg10=").size(), nullptr) / kPercent;
}

}  // namespace lockstep::evidence
