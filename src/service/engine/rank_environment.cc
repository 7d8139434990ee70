#include "service/engine/rank_environment.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launchers/rank_variables.h"
#include "service/engine/nodes/shares.h"

namespace lockstep::service {
namespace {

class Variables {
 public:
  explicit Variables(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  void set(std::string_view name, std::string_view value) {
    take_away(name);
    entries_.push_back(fmt::format("{}={}", name, value));
  }
  void set(std::string_view name, int value) { set(name, std::to_string(value)); }
  void take_away(std::string_view name) {
    std::erase_if(entries_, [&](const std::string& entry) { return is(entry, name); });
  }
  void set_unless_set(std::string_view name, std::string_view value) {
    const bool is_set =
        std::ranges::any_of(entries_, [&](const std::string& entry) { return is(entry, name); });
    if (!is_set) set(name, value);
  }
  std::vector<std::string> take() && { return std::move(entries_); }

 private:
  static bool is(std::string_view entry, std::string_view name) {
    return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
  }
  std::vector<std::string> entries_;
};

// Where this rank is, and where all of them meet.
class Surroundings {
 public:
  Surroundings(const Plan& plan, int rank)
      : plan_(plan),
        nodes_(plan.places.empty() ? 1 : static_cast<int>(plan.places.size())),
        rank_(rank),
        seat_(seat_of(rank, plan.workers, nodes_)),
        this_host_{"localhost", "127.0.0.1", "lo", plan.ports} {}

  int rank() const { return rank_; }
  int nodes() const { return nodes_; }
  const Seat& seat() const { return seat_; }
  const NodePlace& node(int number) const {
    return plan_.places.empty() ? this_host_ : plan_.places[static_cast<std::size_t>(number)];
  }
  const NodePlace& own() const { return node(seat_.node); }
  const std::string& meeting_address() const { return node(0).address; }
  int meeting_port() const { return node(0).ports.empty() ? 0 : node(0).ports.front(); }
  std::string server_of(int rank) const {
    const Seat seat = seat_of(rank, plan_.workers, nodes_);
    const NodePlace& place = node(seat.node);
    const auto number = static_cast<std::size_t>(seat.local_rank);
    return fmt::format("{}:{}", place.address, number < place.ports.size() ? place.ports[number] : 0);
  }

 private:
  const Plan& plan_;
  int nodes_;
  int rank_;
  Seat seat_;
  NodePlace this_host_;
};

launchers::RankSeat launcher_seat(const Plan& plan, const Surroundings& at) {
  return {.rank = at.rank(),
          .world_size = plan.workers,
          .local_rank = at.seat().local_rank,
          .local_size = at.seat().local_size,
          .node = at.seat().node,
          .nodes = at.nodes(),
          .host = at.own().name,
          .interface = at.own().interface,
          .meeting_address = at.meeting_address(),
          .meeting_port = at.meeting_port()};
}

void set_all(Variables& variables, const launchers::NamedValues& values) {
  for (const auto& [name, value] : values) variables.set(name, value);
}

// What torchrun says; most other launchers' scripts read it too.
void say_rank(Variables& variables, const Plan& plan, const Surroundings& at) {
  set_all(variables, launchers::torchrun_variables(launcher_seat(plan, at)));
  variables.set_unless_set("GLOO_SOCKET_IFNAME", at.own().interface);
  if (at.nodes() > 1) variables.set_unless_set("NCCL_SOCKET_IFNAME", at.own().interface);
}

void say_cluster(Variables& variables, const Plan& plan, const Surroundings& at) {
  std::vector<std::string> servers;
  for (int rank = 0; rank < plan.workers; ++rank) servers.push_back(at.server_of(rank));
  variables.set("TF_CONFIG", launchers::tf_config_text(servers, std::to_string(at.rank())));
}

// What horovodrun says of Gloo; the gang of the first node is the place where they meet.
void say_horovod(Variables& variables, const Plan& plan, const Surroundings& at) {
  set_all(variables, launchers::horovodrun_variables(launcher_seat(plan, at)));
}

void say_repairs(Variables& variables, const Plan& plan, const Surroundings& at) {
  const auto repaired = plan.node_environment.find(at.own().name);
  if (repaired == plan.node_environment.end()) return;
  for (const auto& [name, value] : repaired->second) {
    if (value.empty()) {
      variables.take_away(name);
    } else {
      variables.set(name, value);
    }
  }
}

}  // namespace

std::vector<std::string> with_rank(std::vector<std::string> environment, const Plan& plan, int rank) {
  Variables variables(std::move(environment));
  const Surroundings at(plan, rank);
  say_repairs(variables, plan, at);
  if (plan.framework == Framework::kTensorFlow) {
    say_cluster(variables, plan, at);
  } else if (plan.framework == Framework::kHorovod) {
    say_horovod(variables, plan, at);
  } else {
    say_rank(variables, plan, at);
  }
  variables.set("LOCKSTEP_RANK_OF_JOB", rank);
  variables.set("LOCKSTEP_ATTEMPT", plan.attempt);
  if (!plan.checkpoint_directory.empty()) variables.set("LOCKSTEP_CHECKPOINT_DIR", plan.checkpoint_directory);
  if (!plan.artifacts_directory.empty()) variables.set("LOCKSTEP_ARTIFACTS_DIR", plan.artifacts_directory);
  variables.set_unless_set("OMP_NUM_THREADS", std::to_string(plan.threads));
  variables.set_unless_set("PYTHONUNBUFFERED", "1");
  if (!plan.gpus.empty()) variables.set("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(plan.gpus, ",")));
  return std::move(variables).take();
}

bool is_the_services_own(const Plan& plan, const std::string& variable) {
  const std::string of_the_user = variable + "=of the user";
  const std::vector<std::string> all = with_rank({of_the_user}, plan, 0);
  return std::ranges::find(all, of_the_user) == all.end();
}

}  // namespace lockstep::service
