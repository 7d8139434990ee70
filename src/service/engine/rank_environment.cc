#include "service/engine/rank_environment.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::service {
namespace {

class Variables {
 public:
  explicit Variables(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  void set(std::string_view name, std::string_view value) {
    std::erase_if(entries_, [&](const std::string& entry) { return is(entry, name); });
    entries_.push_back(fmt::format("{}={}", name, value));
  }
  void set(std::string_view name, int value) { set(name, std::to_string(value)); }
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

// What torchrun says; most other launchers' scripts read it too.
void say_rank(Variables& variables, const Plan& plan, int rank) {
  variables.set("RANK", rank);
  variables.set("WORLD_SIZE", plan.workers);
  variables.set("LOCAL_RANK", rank);
  variables.set("LOCAL_WORLD_SIZE", plan.workers);
  variables.set("GROUP_RANK", 0);
  variables.set("GROUP_WORLD_SIZE", 1);
  variables.set("MASTER_ADDR", "127.0.0.1");
  variables.set("MASTER_PORT", plan.ports.empty() ? 0 : plan.ports.front());
}

void say_cluster(Variables& variables, const Plan& plan, int rank) {
  std::vector<std::string> addresses;
  for (const int port : plan.ports) addresses.push_back(fmt::format("\"127.0.0.1:{}\"", port));
  variables.set("TF_CONFIG",
                fmt::format(R"({{"cluster": {{"worker": [{}]}}, "task": {{"type": "worker", "index": {}}}}})",
                            fmt::join(addresses, ", "), rank));
}

// What horovodrun says of Gloo; the gang itself is the place where they meet.
void say_horovod(Variables& variables, const Plan& plan, int rank) {
  variables.set("HOROVOD_RANK", rank);
  variables.set("HOROVOD_SIZE", plan.workers);
  variables.set("HOROVOD_LOCAL_RANK", rank);
  variables.set("HOROVOD_LOCAL_SIZE", plan.workers);
  variables.set("HOROVOD_CROSS_RANK", 0);
  variables.set("HOROVOD_CROSS_SIZE", 1);
  variables.set("HOROVOD_HOSTNAME", "localhost");
  variables.set("HOROVOD_GLOO_RENDEZVOUS_ADDR", "127.0.0.1");
  variables.set("HOROVOD_GLOO_RENDEZVOUS_PORT", plan.ports.empty() ? 0 : plan.ports.front());
  variables.set("HOROVOD_CONTROLLER", "gloo");
  variables.set("HOROVOD_CPU_OPERATIONS", "gloo");
  variables.set("HOROVOD_GLOO_IFACE", "lo");
}

}  // namespace

std::vector<std::string> with_rank(std::vector<std::string> environment, const Plan& plan, int rank) {
  Variables variables(std::move(environment));
  if (plan.framework == Framework::kTensorFlow) {
    say_cluster(variables, plan, rank);
  } else if (plan.framework == Framework::kHorovod) {
    say_horovod(variables, plan, rank);
  } else {
    say_rank(variables, plan, rank);
    variables.set_unless_set("GLOO_SOCKET_IFNAME", "lo");
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

}  // namespace lockstep::service
