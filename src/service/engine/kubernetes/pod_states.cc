#include "service/engine/kubernetes/pod_states.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <optional>
#include <random>

#include "base/file.h"
#include "base/json.h"
#include "base/text_fields.h"
#include "service/engine/heartbeat.h"
#include "service/engine/kubernetes/attempt_objects.h"
#include "service/job/job.h"

namespace lockstep::service {

namespace {

using base::Json;

bool condition_is(const Json& object, std::string_view type, std::string_view status) {
  return std::ranges::any_of(base::list_at(object, "status", "conditions"), [&](const Json& one) {
    return base::text_at(one, "type") == type && base::text_at(one, "status") == status;
  });
}

std::string message_of_condition(const Json& object, std::string_view type, std::string_view status) {
  for (const Json& one : base::list_at(object, "status", "conditions")) {
    if (base::text_at(one, "type") == type && base::text_at(one, "status") == status)
      return base::text_at(one, "message");
  }
  return "";
}

void take_container(const Json& container, PodState& pod) {
  const Json& state = base::field_at(container, "state");
  const Json& waiting = base::field_at(state, "waiting");
  const Json& ended = base::field_at(state, "terminated");
  if (pod.reason.empty()) pod.reason = base::text_at(waiting, "reason") + base::text_at(ended, "reason");
  if (pod.message.empty()) pod.message = base::text_at(waiting, "message") + base::text_at(ended, "message");
  if (const Json& status = base::field_at(ended, "exitCode"); status.is_number_integer())
    pod.exit_status = static_cast<int>(status.get<std::int64_t>());
}

PodState pod_in(const Json& object) {
  PodState pod;
  pod.rank = base::number_in<int>(base::text_at(object, "metadata", "labels", kRankLabel)).value_or(-1);
  pod.name = base::text_at(object, "metadata", "name");
  pod.phase = base::text_at(object, "status", "phase");
  pod.node = base::text_at(object, "spec", "nodeName");
  pod.reason = base::text_at(object, "status", "reason");
  pod.message = base::text_at(object, "status", "message");
  pod.is_going = !base::text_at(object, "metadata", "deletionTimestamp").empty();
  if (pod.phase == "Pending" && pod.message.empty())
    pod.message = message_of_condition(object, "PodScheduled", "False");
  const Json& containers = base::list_at(object, "status", "containerStatuses");
  if (!containers.empty()) take_container(containers[0], pod);
  // Without a probe a container is ready as long as it runs; Kubernetes takes that back when it does not hear
  // of the node any more.
  const bool runs = pod.phase == "Running" && !containers.empty() &&
                    base::field_at(containers[0], "state", "running").is_object();
  pod.is_node_silent =
      runs && (condition_is(object, "Ready", "False") || condition_is(object, "Ready", "Unknown"));
  return pod;
}

bool is_borne(const Json& taint, const Json& pod) {
  if (base::text_at(taint, "effect") == "PreferNoSchedule") return true;
  return std::ranges::any_of(base::list_at(pod, "spec", "tolerations"), [&](const Json& one) {
    const std::string key = base::text_at(one, "key");
    const std::string effect = base::text_at(one, "effect");
    const bool is_this = (key.empty() || key == base::text_at(taint, "key")) &&
                         (effect.empty() || effect == base::text_at(taint, "effect"));
    return is_this && (base::text_at(one, "operator") == "Exists" ||
                       base::text_at(one, "value") == base::text_at(taint, "value"));
  });
}

// Kubernetes marks so what is wrong with a node at the moment.
bool is_passing(const Json& taint) {
  return base::text_at(taint, "key").starts_with("node.kubernetes.io/");
}

std::int64_t amount_at(const Json& node, const char* name, std::int64_t divisor) {
  return thousandths_in(base::text_at(node, "status", "allocatable", name)).value_or(0) / divisor;
}

double factor_of(std::string_view unit) {
  constexpr std::string_view kLarger = "kMGTPE";
  if (unit.empty()) return 1;
  if (unit == "m") return 1e-3;
  if (unit == "Ki") return 1024;
  const std::size_t power = kLarger.find(unit.front());
  if (power == std::string_view::npos) return 0;
  if (unit.size() == 2 && unit.back() == 'i') return std::pow(1024.0, static_cast<double>(power + 1));
  return unit.size() == 1 ? std::pow(1000.0, static_cast<double>(power + 1)) : 0;
}

}  // namespace

std::vector<PodState> pods_in(const Json& list) {
  std::vector<PodState> pods;
  for (const Json& one : base::list_at(list, "items")) {
    PodState pod = pod_in(one);
    if (pod.rank >= 0) pods.push_back(std::move(pod));
  }
  std::ranges::sort(pods, {}, &PodState::rank);
  return pods;
}

bool can_never_start(const PodState& pod) {
  constexpr std::string_view kForEver[] = {
      "InvalidImageName",           "ErrImagePull",         "ErrImageNeverPull", "ImagePullBackOff",
      "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff"};
  return pod.phase == "Pending" && std::ranges::find(kForEver, pod.reason) != std::end(kForEver);
}

std::vector<KubeNode> kube_nodes_in(const Json& list, const Json& pod) {
  std::vector<KubeNode> nodes;
  for (const Json& one : base::list_at(list, "items")) {
    const Json& taints = base::list_at(one, "spec", "taints");
    const auto keeps_out = [&](const Json& taint) { return !is_passing(taint) && !is_borne(taint, pod); };
    if (std::ranges::any_of(taints, keeps_out)) continue;
    const Json& closed = base::field_at(one, "spec", "unschedulable");
    nodes.push_back(
        {.name = base::text_at(one, "metadata", "name"),
         .millicpus = amount_at(one, "cpu", 1),
         .memory_bytes = amount_at(one, "memory", 1000),
         .gpus = amount_at(one, "nvidia.com/gpu", 1000),
         .can_work = condition_is(one, "Ready", "True") && !(closed.is_boolean() && closed.get<bool>())});
  }
  return nodes;
}

std::optional<std::int64_t> thousandths_in(std::string_view quantity) {
  double number = 0;
  const char* end = quantity.data() + quantity.size();
  const auto read = std::from_chars(quantity.data(), end, number);
  if (read.ec != std::errc{}) return std::nullopt;
  const double factor = factor_of({read.ptr, static_cast<std::size_t>(end - read.ptr)});
  const double thousandths = number * factor * 1000;
  if (factor == 0 || !(thousandths >= 0) || thousandths > 9e18) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(thousandths));
}

namespace {

constexpr std::size_t kLargestRecord = std::size_t{1} << 20;

std::optional<RankEnd> record_of(const AttemptFolder& folder, int rank) {
  const auto text = base::read_file(folder.rank_end(rank), kLargestRecord);
  if (!text.ok()) return std::nullopt;
  const auto json = base::parse_json(text.value(), "rank");
  if (!json.ok()) return std::nullopt;
  try {
    return decode_rank_end(json.value());
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// Its wrapper went with it: the last sign of life is the last that is known.
std::optional<RankEnd> record_by_signs(const AttemptFolder& folder, int rank) {
  const auto sign = read_heartbeat(folder.sign_of_life(rank));
  if (!sign) return std::nullopt;
  return RankEnd{.rank = rank, .started_ms = sign->started_ms, .ended_ms = sign->last_ms, .signal = SIGKILL};
}

void note_memory_end(const AttemptFolder& folder, int rank) {
  auto end = record_of(folder, rank);
  if (!end) end = record_by_signs(folder, rank);
  if (!end || end->hit_memory_limit || end->signal != SIGKILL || end->was_asked) return;
  end->hit_memory_limit = true;
  static_cast<void>(base::write_file(folder.rank_end(rank),
                                     base::to_text(encode_rank_end(*end), base::JsonLayout::kOneLine))
                        .ok());
}

}  // namespace

void note_memory_ends(const AttemptFolder& folder, const std::vector<PodState>& pods) {
  for (const PodState& pod : pods) {
    if (pod.is_over() && pod.reason == "OOMKilled") note_memory_end(folder, pod.rank);
  }
}

GangPlacing::Step GangPlacing::next(const std::vector<PodState>& pods, Clock::time_point now) {
  if (away_until_) {
    if (!pods.empty() || now < *away_until_) return Step::kStayAway;
    away_until_.reset();
    return Step::kMakeAgain;
  }
  const std::size_t without = ranks_without_place(pods).size();
  if (without == 0 || without == pods.size()) {
    partly_placed_since_.reset();
    return Step::kGoOn;
  }
  if (!partly_placed_since_) partly_placed_since_ = now;
  if (patience_.count() == 0 || now - *partly_placed_since_ < patience_) return Step::kGoOn;
  partly_placed_since_.reset();
  away_until_ = now + time_away();
  return Step::kGiveBack;
}

// Between a half of the patience and one and a half.
std::chrono::milliseconds GangPlacing::time_away() {
  const std::chrono::milliseconds whole = patience_;
  std::minstd_rand random(++seed_);
  random.discard(1);
  return whole / 2 + std::chrono::milliseconds(random() % static_cast<std::uint32_t>(whole.count() + 1));
}

std::vector<int> ranks_without_place(const std::vector<PodState>& pods) {
  std::vector<int> ranks;
  for (const PodState& pod : pods) {
    if (pod.phase == "Pending" && pod.node.empty()) ranks.push_back(pod.rank);
  }
  return ranks;
}

}  // namespace lockstep::service
