// torchrun, python -m torch.distributed.run and torch.distributed.launch, of PyTorch 1.9 to 2.13.
#include <cctype>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "launchers/launcher.h"
#include "launchers/one_rank.h"
#include "launchers/place.h"
#include "launchers/rank_variables.h"

namespace lockstep::launchers {
namespace {

constexpr FlagRules kTorchrunRules{
    .underscore_is_dash = true, .may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kTorchrunFlags[] = {
    {"--nnodes", 1, Fate::kDrop},
    {"--nproc-per-node", 1, Fate::kDrop},
    {"--node-rank", 1, Fate::kDrop},
    {"--rdzv-backend", 1, Fate::kDrop},
    {"--rdzv-endpoint", 1, Fate::kDrop},
    {"--rdzv-id", 1, Fate::kDrop},
    {"--rdzv-conf", 1, Fate::kDrop},
    {"--standalone", 0, Fate::kDrop},
    {"--master-addr", 1, Fate::kDrop},
    {"--master-port", 1, Fate::kDrop},
    {"--local-addr", 1, Fate::kDrop},
    {"--max-restarts", 1, Fate::kDrop},
    {"--log-dir", 1, Fate::kDrop},
    {"-r --redirects", 1, Fate::kDrop},
    {"-t --tee", 1, Fate::kDrop},
    {"--local-ranks-filter", 1, Fate::kDrop},
    {"--duplicate-stdout-filters", 1, Fate::kDrop},
    {"--duplicate-stderr-filters", 1, Fate::kDrop},
    {"--logs-specs", 1, Fate::kDrop},
    {"--numa-binding", 1, Fate::kDrop},
    {"--monitor-interval", 1},
    {"--start-method", 1},
    {"--event-log-handler", 1},
    {"--role", 1},
    {"--signals-to-handle", 1},
    {"--shutdown-timeout", 1},
    {"-m --module", 0},
    {"--no-python", 0},
    {"--run-path", 0},
    {"--virtual-local-rank", 0},
    {"--use-env", 0},  // torch.distributed.launch alone
};
constexpr LauncherTable kTorchrunTable{"torchrun", kTorchrunFlags, kTorchrunRules};

struct TorchVariable {
  std::string_view name;
  std::string_view alone;
  bool is_required;  // by init_method="env://"
};

constexpr TorchVariable kTorchVariables[] = {
    {"RANK", "0", true},
    {"WORLD_SIZE", "1", true},
    {"LOCAL_RANK", "0", false},
    {"LOCAL_WORLD_SIZE", "1", false},
    {"NODE_RANK", "0", false},
    {"GROUP_RANK", "0", false},
    {"GROUP_WORLD_SIZE", "1", false},
    {"ROLE_RANK", "0", false},
    {"ROLE_WORLD_SIZE", "1", false},
    {"NNODES", "1", false},
    {"NPROC_PER_NODE", "1", false},
};

constexpr std::string_view kTorchrunVariables[] = {"TORCHELASTIC_"};

// Every flag has a variable that stands for it (PET_NNODES); what is on the command line wins, what was
// dropped from it must not come back.
std::vector<Change> without_flag_variables(const Environment& environment) {
  std::vector<Change> changes;
  for (const char* flag :
       {"rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf", "standalone", "log_dir", "redirects", "tee",
        "local_addr", "local_ranks_filter", "duplicate_stdout_filters", "duplicate_stderr_filters"}) {
    const std::string name = torchrun_variable(flag);
    if (environment.contains(name)) changes.push_back({name, std::nullopt});
  }
  return changes;
}

Result<void> reduce_for_torchrun(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, kTorchrunTable));
  add_launcher(control, "torchrun");
  append(control.command, launched.head);
  append(control.command,
         {"--nnodes=1", "--nproc_per_node=1", "--node_rank=0", "--max_restarts=0",
          std::string("--master_addr=") + kLoopback, "--master_port=" + std::to_string(launch.free_port)});
  append(control.command, split.kept);
  append(control.command, split.program);
  append(control.left_out, split.dropped);
  add_changes(control, without_flag_variables(launch.environment));
  return {};
}

std::uint32_t most_nodes(const std::string& text) {  // "2" or "1:4"
  return base::number_in<std::uint32_t>(std::string_view(text).substr(text.rfind(':') + 1)).value_or(0);
}

std::optional<base::HostPort> meeting_place(std::string_view endpoint) {
  auto found = base::host_port_in(endpoint);
  return found && found->port != 0 ? std::move(found) : std::nullopt;
}

}  // namespace

std::string torchrun_variable(std::string_view flag) {
  std::string name = "PET_";
  for (const unsigned char letter : flag) name += static_cast<char>(std::toupper(letter));
  return name;
}

std::optional<JobPlace> place_by_torchrun(const Launch& launch) {
  const auto flags = flags_of(kTorchrun, launch.command);
  if (!flags) return std::nullopt;
  const auto setting = [&](const char* flag, std::string_view otherwise) {
    if (auto given = value_of(*flags, flag)) return *std::move(given);
    return variable(launch.environment, torchrun_variable(flag)).value_or(std::string(otherwise));
  };
  JobPlace place{
      .index = {}, .count = most_nodes(setting("nnodes", "1")), .head = {}, .launcher = "torchrun"};
  if (value_of(*flags, "standalone")) place.count = 1;
  if (place.count == 1) return place;
  const std::string backend = setting("rdzv_backend", kTorchrunBackend);
  std::string endpoint = setting("rdzv_endpoint", "");
  if (endpoint.empty()) {
    endpoint =
        fmt::format("{}:{}", setting("master_addr", kTorchrunAddress), setting("master_port", kTorchrunPort));
  }
  if (backend == kTorchrunBackend) {
    place.index = base::number_in<std::uint32_t>(setting("node_rank", "0"));
  }
  if (!meeting_place(endpoint)) endpoint += fmt::format(":{}", kTorchrunEndpointPort);
  const auto meeting = meeting_place(endpoint);
  if (!meeting) return place;
  const std::string id = setting("rdzv_id", "");
  place.head = base::HostPort{.host = meeting->host,
                              .port = port_from(fmt::format("torchrun {} {}", meeting->port, id))};
  return place;
}

std::optional<JobPlace> place_by_rank_variables(const Launch& launch) {
  const auto rank = variable(launch.environment, kTorchRank.rank);
  const auto size = variable(launch.environment, kTorchRank.world_size);
  const auto address = variable(launch.environment, "MASTER_ADDR");
  if (!rank || !size || !address) return std::nullopt;
  const std::string port = variable(launch.environment, "MASTER_PORT").value_or(std::string(kTorchrunPort));
  return JobPlace{.index = base::number_in<std::uint32_t>(*rank),
                  .count = base::number_in<std::uint32_t>(*size).value_or(0),
                  .head = base::HostPort{.host = *address, .port = port_from("ranks " + port)},
                  .launcher = "RANK"};
}

NamedValues torchrun_variables(const RankSeat& seat) {
  return {{std::string(kTorchRank.rank), std::to_string(seat.rank)},
          {std::string(kTorchRank.world_size), std::to_string(seat.world_size)},
          {std::string(kTorchRank.local_rank), std::to_string(seat.local_rank)},
          {"LOCAL_WORLD_SIZE", std::to_string(seat.local_size)},
          {"GROUP_RANK", std::to_string(seat.node)},
          {"GROUP_WORLD_SIZE", std::to_string(seat.nodes)},
          {"MASTER_ADDR", seat.meeting_address},
          {"MASTER_PORT", std::to_string(seat.meeting_port)}};
}

std::vector<Change> torch_variables_for_one(const Environment& environment, int free_port) {
  const bool is_one_of_several = environment.contains("RANK") || environment.contains("WORLD_SIZE") ||
                                 environment.contains("MASTER_ADDR");
  if (!is_one_of_several) return {};
  std::vector<Change> changes;
  for (const TorchVariable& variable : kTorchVariables) {
    const bool is_set = environment.contains(variable.name);
    if (is_set || variable.is_required)
      changes.push_back({std::string(variable.name), std::string(variable.alone)});
  }
  changes.push_back({"MASTER_ADDR", kLoopback});
  changes.push_back({"MASTER_PORT", std::to_string(free_port)});
  return changes;
}

const Launcher kTorchrun{.section = "torchrun",
                         .programs = " torchrun torch.distributed.run torch.distributed.launch ",
                         .table = &kTorchrunTable,
                         .variables = kTorchrunVariables,
                         .reduce = reduce_for_torchrun};

}  // namespace lockstep::launchers
