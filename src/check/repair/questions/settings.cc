// What launches and hosts are told: lists of hosts, ranks, and settings of one right value.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "check/repair/launch_value.h"
#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

using config::Fields;
using config::LaunchConfig;

class HostList {
 public:
  explicit HostList(const RepairProblem& problem) : problem_(problem), launch_(problem.hosts().launch()) {}

  // Empty: it is not to be made of what is there.
  std::vector<HostEntry> made() {
    for (std::size_t i = 0; i < launch_.count(Fields::kHostList); ++i) {
      add({launch_.text(Fields::host_name(i)), launch_.number(Fields::host_slots(i))});
    }
    if (const auto faults = launch_.get(Fields::kHostfileFaults))
      for (const std::string& line : faults->value)
        if (!add_from(line)) return {};
    if (launch_.has(Fields::kDeepspeed)) give_slots();
    return entries_;
  }

 private:
  static bool is_loopback(const std::string& name) {
    const auto address = base::parse_address(name);
    return name == "localhost" || (address && address->is_loopback());
  }

  // Of several entries for a host one stays, with the slots of all.
  void add(HostEntry entry) {
    if (is_loopback(entry.name)) entry.name = own_name();
    const auto same = std::ranges::find(entries_, entry.name, &HostEntry::name);
    if (same == entries_.end()) return entries_.push_back(std::move(entry));
    same->slots = same->slots.value_or(1) + entry.slots.value_or(1);
  }

  // A line that begins with the name of a host: "b slots=eight".
  bool add_from(std::string_view line) {
    const std::string name(base::word_of(line, std::string_view(" \t,;:=")));
    if (!problem_.hosts().named(name)) return false;
    const std::size_t digit = line.find_first_of("0123456789", name.size());
    const auto slots =
        digit == std::string_view::npos
            ? std::nullopt
            : base::number_in<std::int64_t>(base::word_of(line.substr(digit), std::string_view(" \t,;:=")));
    add({name, slots});
    return true;
  }

  // The only host that the list does not name; the one that launches, where that is not told.
  std::string own_name() const {
    std::vector<std::string> others;
    for (std::size_t host = 0; host < problem_.hosts().size(); ++host) {
      const std::string& name = problem_.hosts()[host].name;
      bool is_listed = false;
      for (std::size_t i = 0; i < launch_.count(Fields::kHostList); ++i)
        is_listed |= problem_.hosts().named(launch_.text(Fields::host_name(i))) == host;
      if (!is_listed) others.push_back(name);
    }
    if (others.size() == 1) return others.front();
    return problem_.hosts().size() == 0 ? "localhost" : problem_.hosts()[problem_.hosts().launching()].name;
  }

  void give_slots() {
    for (HostEntry& entry : entries_) {
      const auto host = problem_.hosts().named(entry.name);
      const std::size_t gpus = host ? problem_.hosts()[*host].gpus.gpus.size() : 0;
      if (!entry.slots) entry.slots = static_cast<std::int64_t>(std::max<std::size_t>(gpus, 1));
    }
  }

  const RepairProblem& problem_;
  const LaunchConfig& launch_;
  std::vector<HostEntry> entries_;
};

// Every launch a number of its own below `count`; whoever has a good one first keeps it.
std::vector<std::int64_t> own_numbers(const std::vector<std::optional<std::int64_t>>& now,
                                      std::int64_t count) {
  std::set<std::int64_t> used;
  std::vector<std::optional<std::int64_t>> kept(now.size());
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] && *now[i] >= 0 && *now[i] < count && used.insert(*now[i]).second) kept[i] = now[i];
  std::vector<std::int64_t> numbers;
  std::int64_t next = 0;
  for (const auto& number : kept) {
    while (!number && used.contains(next)) ++next;
    numbers.push_back(number ? *number : next);
    used.insert(numbers.back());
  }
  return numbers;
}

std::vector<Edit> numbers(const RepairProblem& problem, const config::FieldPath& field) {
  std::vector<Edit> edits;
  std::vector<std::optional<std::int64_t>> now;
  for (const LaunchConfig& launch : problem.launches())
    now.push_back(config::whole_number(launch.as_written(field)));
  const auto wanted = own_numbers(now, static_cast<std::int64_t>(now.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (now[i] != wanted[i])
      edits.push_back(
          {.kind = EditKind::kLaunch, .launch = i, .field = field, .value = fmt::format("{}", wanted[i])});
  return edits;
}

std::vector<Edit> everywhere(const RepairProblem& problem, const config::FieldPath& field,
                             const std::string& value) {
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < problem.launches().size(); ++i)
    if (problem.launches()[i].as_written(field) != value)
      edits.push_back({.kind = EditKind::kLaunch, .launch = i, .field = field, .value = value});
  return edits;
}

// What most launches say.
std::string usual(const RepairProblem& problem, const config::Field<std::string>& field) {
  std::map<std::string, int> counts;
  for (const LaunchConfig& launch : problem.launches()) ++counts[launch.text(field)];
  std::string most = problem.launches().front().text(field);
  for (const auto& [value, count] : counts)
    if (count > counts[most]) most = value;
  return most;
}

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
std::optional<std::int64_t> slots_of(const config::LaunchConfig& launch) {
  std::int64_t slots = 0;
  for (std::size_t i = 0; i < launch.count(Fields::kHostList); ++i)
    slots += launch.number(Fields::host_slots(i)).value_or(0);
  return slots > 0 ? std::optional(slots) : std::nullopt;
}

void ask_processes(RepairProblem& problem) {
  const std::string why = problem.found_by("L06 L19");
  if (why.empty()) return;
  const config::LaunchConfig& launch = problem.hosts().launch();
  const auto slots = slots_of(launch);
  if (!slots) return problem.choices().require({}, why);
  const auto literals =
      problem.ask({{"as it is", {}},
                   {"as many processes as there are slots",
                    {{.kind = EditKind::kLaunch,
                      .field = launch.has(Fields::kHorovod) ? Fields::kHorovodRanks : Fields::kMpiRanks,
                      .value = fmt::format("{}", *slots)}}}});
  problem.choices().require({!literals[0]}, why);
}

}  // namespace

// The hosts that a launcher is told: each once, by a name that means it everywhere, with its slots.
void ask_host_list(RepairProblem& problem) {
  constexpr std::string_view kRules = "D15 L07 L08 L20 L21";
  const LaunchConfig& launch = problem.hosts().launch();
  Answer answer{"the list has each host once", {}};
  const std::vector<HostEntry> entries = HostList(problem).made();
  const config::FieldPath flag = launch.has(Fields::kMpiHosts) ? Fields::kMpiHosts : Fields::kHorovodHosts;
  if (!entries.empty())
    answer.edits = {{.kind = EditKind::kLaunch,
                     .launch = 0,
                     .field = launch.has(flag) ? flag : config::FieldPath(Fields::kHostList),
                     .value = as_flag(entries)}};
  problem.ask_one_change(kRules, std::move(answer));
}

// Ranks and sizes of the launches of one job.
void ask_ranks(RepairProblem& problem) {
  const std::size_t count = problem.launches().size();
  if (count < 2) return;
  const std::string size = fmt::format("{}", count);
  problem.ask_one_change("R02 R03",
                         {"each launch has a rank of its own", numbers(problem, Fields::variable("RANK"))});
  problem.ask_one_change(
      "R04", {"all launches have one world size", everywhere(problem, Fields::variable("WORLD_SIZE"), size)});
  problem.ask_one_change("R14 R15",
                         {"each node has a rank of its own", numbers(problem, Fields::kTorchrunNodeRank)});
  problem.ask_one_change(
      "R08", {"each machine has a rank of its own", numbers(problem, Fields::kAccelerateMachineRank)});
  problem.ask_one_change("R09",
                         {"all launches have one id",
                          everywhere(problem, Fields::kRendezvousId, usual(problem, Fields::kRendezvousId))});
}

// Settings that have one right value, whatever else is chosen.
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
