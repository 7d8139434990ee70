// Settings that have one right value, whatever else is chosen.
#include <fmt/format.h>

#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

namespace field = config::field;
constexpr std::string_view kEnough = "1073741824";  // bytes of /dev/shm

struct Setting {
  std::string_view rules;
  EditKind kind;
  std::string_view name;
  std::string_view value;  // empty: it is taken away
};

constexpr Setting kSettings[] = {
    {"T06", EditKind::kEnvironment, "http_proxy", ""},
    {"T06", EditKind::kEnvironment, "https_proxy", ""},
    {"T06", EditKind::kEnvironment, "grpc_proxy", ""},
    {"L05", EditKind::kEnvironment, "OMPI_ALLOW_RUN_AS_ROOT", "1"},
    {"L05", EditKind::kEnvironment, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    {"L14", EditKind::kEnvironment, "SLURM_EXPORT_ENV", "ALL"},
    {"N10", EditKind::kEnvironment, "NCCL_COMM_ID", ""},
    {"I01 I02", EditKind::kEnvironment, "NCCL_IB_GID_INDEX", ""},
    {"I05 I17", EditKind::kEnvironment, "NCCL_NET", ""},
    {"I13", EditKind::kEnvironment, "NCCL_NET_PLUGIN", ""},
    {"R16 G11", EditKind::kEnvironment, "CUDA_VISIBLE_DEVICES", ""},
    {"U01 U12", EditKind::kSystem, "shm", kEnough},
    {"U04", EditKind::kSystem, "nofile", "131072"},
    {"U08", EditKind::kSystem, "net.ipv4.neigh.default.gc_thresh3", "65536"},
};

// Slots of all hosts of the list.
std::optional<std::int64_t> slots_of(const config::Settings& launch) {
  std::int64_t slots = 0;
  for (std::size_t i = 0; i < launch.count(field::kHostList); ++i)
    slots += launch.number(field::host_slots(i)).value_or(0);
  return slots > 0 ? std::optional(slots) : std::nullopt;
}

void ask_processes(RepairProblem& problem) {
  const std::string why = problem.found_by("L06 L19");
  if (why.empty()) return;
  const config::Settings& launch = problem.hosts().launch();
  const auto slots = slots_of(launch);
  if (!slots) return problem.choices().require({}, why);
  const auto literals =
      problem.ask({{"as it is", {}},
                   {"as many processes as there are slots",
                    {{.kind = EditKind::kLaunch,
                      .name = launch.has(field::kHorovod) ? field::kHorovodRanks : field::kMpiRanks,
                      .value = fmt::format("{}", *slots)}}}});
  problem.choices().require({!literals[0]}, why);
}

}  // namespace

void ask_settings(RepairProblem& problem) {
  for (const Setting& setting : kSettings) {
    const bool is_of_hosts = setting.kind == EditKind::kSystem;
    for (std::size_t host = 0; host < (is_of_hosts ? problem.situation().hosts.size() : 1); ++host) {
      const auto at = is_of_hosts ? std::optional(host) : std::nullopt;
      const std::string why = problem.found_by(setting.rules, at);
      if (why.empty()) continue;
      const auto value = setting.value.empty() ? std::nullopt : std::optional(std::string(setting.value));
      const auto literals = problem.ask(
          {{"as it is", {}},
           {fmt::format("{} is {}", setting.name, value.value_or("not set")),
            {{.kind = setting.kind, .host = at, .name = std::string(setting.name), .value = value}}}});
      problem.choices().require({!literals[0]}, why);
    }
  }
  ask_processes(problem);
}

}  // namespace lockstep::repair
