#include "hostinfo/collect/limits.h"

#include <algorithm>
#include <filesystem>
#include <sys/resource.h>

#include "base/text_fields.h"
#include "hostinfo/state/cgroup.h"

namespace lockstep::hostinfo {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_of(rlim_t value) {
  return value == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(value);
}

}  // namespace

void take_limits(HostFacts& facts) {
  constexpr std::pair<const char*, int> kLimits[] = {
      {"memlock", RLIMIT_MEMLOCK}, {"nofile", RLIMIT_NOFILE},
      {"stack", RLIMIT_STACK},     {"nproc", RLIMIT_NPROC},
      {"as", RLIMIT_AS},           {"core", RLIMIT_CORE},
      {"data", RLIMIT_DATA},       {"msgqueue", RLIMIT_MSGQUEUE},
  };
  for (const auto& [name, resource] : kLimits) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) continue;
    facts.limits[name] = {.soft = number_of(limit.rlim_cur), .hard = number_of(limit.rlim_max)};
  }
}

std::optional<std::uint64_t> pids_limit() {
  const process::Roots roots;
  const auto places = parse_cgroup_places(process::text_of(roots.proc / "self/cgroup"));
  if (!places.unified) return std::nullopt;
  std::optional<std::uint64_t> tightest;
  const fs::path top = roots.sys / "fs/cgroup";
  fs::path group = *places.unified;
  for (;;) {
    const std::string text = process::text_of(top / group.relative_path() / "pids.max");
    if (const auto limit = base::number_in<std::uint64_t>(base::trimmed(text)))
      tightest = std::min(tightest.value_or(*limit), *limit);
    if (!group.has_relative_path()) return tightest;
    group = group.parent_path();
  }
}

}  // namespace lockstep::hostinfo
