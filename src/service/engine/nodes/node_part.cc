#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/environment.h"
#include "base/process/signal_gate.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/attempt_supervisor.h"
#include "service/engine/machine.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/plan.h"
#include "service/engine/plan_check.h"
#include "service/engine/watched_gang.h"

namespace lockstep::service {
namespace {

constexpr int kNodeCouldNotStart = 127;
constexpr std::size_t kLongestFault = std::size_t{64} << 10;
constexpr std::chrono::minutes kPatienceWithNodes{5};
constexpr std::chrono::seconds kTimeOfOthers{12};  // more than ranks have that are told to end
constexpr std::chrono::milliseconds kBetweenLooksAtOthers{100};
// Some nodes fetch an image of gigabytes that others have.
constexpr std::chrono::minutes kPatienceWithPods{30};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The last port of each node is for its watcher.
supervise::HostsRequest watchers_of(const AttemptFolder& folder, const Plan& plan, int node) {
  const NodePlace& head = plan.places.front();
  supervise::HostsRequest request;
  request.place.index = static_cast<std::uint32_t>(node);
  request.place.count = static_cast<std::uint32_t>(plan.nodes);
  request.place.head = multihost::HostPort{head.address, static_cast<std::uint16_t>(head.ports.back())};
  request.place.launcher = "lockstep serve";
  request.token = {folder.token(), process::own_environment()};
  request.version = "service";
  return request;
}

// The launcher tells the other nodes to end as soon as one has.
Result<void> keep_facts_in_spite_of_signals(const AttemptFolder& folder, const Plan& plan, int node) {
  const process::SignalGate held({SIGTERM, SIGINT, SIGHUP});
  return keep_facts(folder, plan, node);
}

bool has_said_all(const AttemptFolder& folder, const Plan& plan, int node) {
  std::error_code ignored;
  return std::filesystem::exists(plan.may_repair ? folder.node_facts(node) : folder.node_end(node), ignored);
}

// The launcher kills the other nodes as soon as one has failed, and those who left no last word look lost.
void let_others_end(const AttemptFolder& folder, const Plan& plan) {
  const auto until = std::chrono::steady_clock::now() + kTimeOfOthers;
  for (int node = 0; node < plan.nodes && std::chrono::steady_clock::now() < until;) {
    if (has_said_all(folder, plan, node)) {
      ++node;
    } else {
      std::this_thread::sleep_for(kBetweenLooksAtOthers);
    }
  }
}

Result<int> run_part_of(const AttemptFolder& folder, const std::string& program, int node) {
  Plan plan = TRY(read_plan(folder.plan()));
  const int ranks = ranks_on(node, plan.workers, plan.nodes);
  NodePlace own = own_place(variable("SLURM_LAUNCH_NODE_IPADDR"),
                            TRY(free_ports(ports_needed(plan.framework, ranks) + 1, {})));
  if (const std::string name = variable(kNodeNameVariable); !name.empty()) own.name = name;
  GangPlace place{.program = program, .recording = TRY(make_gang_recording(folder, plan, node))};
  TRY(publish_place(folder, node, own));
  plan.places =
      TRY(wait_for_all(folder, plan.nodes, plan.kubernetes ? kPatienceWithPods : kPatienceWithNodes));
  if (plan.nodes > 1) place.others = watchers_of(folder, plan, node);
  const GangEnd end = TRY(run_watched_gang(folder, plan, place));
  TRY(write_gang_end(folder.node_end(node), end));
  if (end.status != 0 && plan.may_repair && !is_end_asked(folder))
    TRY(keep_facts_in_spite_of_signals(folder, plan, node));
  if (end.status != 0 && !end.was_asked) let_others_end(folder, plan);
  return end.status;
}

}  // namespace

int run_node(const AttemptFolder& folder, const std::string& program) {
  const auto node = own_node();
  if (!node) return kNodeCouldNotStart;
  const auto ran = run_part_of(folder, program, *node);
  if (ran.ok()) return ran.value();
  const Error& error = ran.error();
  const std::string said = fmt::format("{}: {}: {}", error.what, error.where, error.why);
  static_cast<void>(base::write_file(folder.node_fault(*node), said).ok());
  base::write_all(STDERR_FILENO, fmt::format("lockstep: {}\n", said));
  return kNodeCouldNotStart;
}

EndReason fault_of_nodes(const AttemptFolder& folder, int nodes) {
  for (int node = 0; node < nodes; ++node) {
    const auto said = base::read_file(folder.node_fault(node), kLongestFault);
    if (said.ok()) return EndReason::node_not_started(node, said.value());
  }
  return {};
}

}  // namespace lockstep::service
