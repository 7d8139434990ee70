#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/kubernetes/attempt_objects.h"
#include "service/engine/kubernetes/pod_states.h"
#include "service/engine/nodes/follow_remote_job.h"
#include "service/engine/nodes/hand_in.h"

namespace lockstep::service {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRefusedByKubernetes = 2;
// A registry that does not answer at once may do so later.
constexpr std::chrono::seconds kTimeToStart{20};
// Longer than pods have to end when they are told to.
constexpr std::chrono::seconds kTimeToEnd{25};

// There once all pods were made: none is made again after that.
std::filesystem::path made_mark(const AttemptFolder& folder) {
  return folder.path / "kubernetes.made";
}

Result<void> make_pods(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                       AttemptPods& pods) {
  TRY(pods.make(program, folder));
  return base::write_file(made_mark(folder), kube_name(plan));
}

// What pods left that waited for others and were given back: no rank of theirs has run.
void forget_pods(const AttemptFolder& folder) {
  std::error_code ignored;
  for (const std::filesystem::path& left : {folder.nodes(), folder.ranks(), folder.recording()})
    std::filesystem::remove_all(left, ignored);
  for (const std::filesystem::path& needed : {folder.nodes(), folder.ranks()})
    std::filesystem::create_directories(needed, ignored);
}

std::uint32_t seed_of(const Plan& plan) {
  return static_cast<std::uint32_t>(std::hash<std::string>()(kube_name(plan)));
}

// Nobody else would.
void remove_patiently(const AttemptFolder& folder, AttemptPods& pods) {
  while (!pods.remove().ok() && !is_end_asked(folder)) pause_a_second();
}

class KubernetesJob : public RemoteJob {
 public:
  KubernetesJob(const AttemptFolder& folder, const Plan& plan, const std::string& program, AttemptPods& pods)
      : folder_(folder),
        plan_(plan),
        program_(program),
        pods_(pods),
        placing_(std::chrono::seconds(plan.kubernetes->gang_wait_s), seed_of(plan)) {}

  std::string name() const override { return fmt::format("pods of {}", kube_name(plan_)); }

  RemoteState look() override {
    auto found = pods_.states();
    if (!found.ok()) return {};
    states_ = std::move(found).value();
    RemoteState state = judged();
    note_memory_ends(folder_, states_);
    return state;
  }

  void cancel(const std::vector<int>& lost) override {
    if (!asked_at_) asked_at_ = Clock::now();
    lost_.insert(lost.begin(), lost.end());
    end_pods();
  }

 private:
  RemoteState judged() {
    if (is_over()) return {.standing = RemoteStanding::kOver, .trouble = asked_at_ ? EndReason() : trouble()};
    if (asked_at_) {
      end_pods();
      return {.standing = RemoteStanding::kUnknown};
    }
    if (auto waits = all_or_none()) return std::move(*waits);
    if (EndReason wrong = trouble(); !wrong.is_empty())
      return {.standing = RemoteStanding::kUnknown, .trouble = std::move(wrong)};
    return standing();
  }

  // None: the pods are where they belong.
  std::optional<RemoteState> all_or_none() {
    if (is_half_made_) return make_all();
    switch (placing_.next(states_, Clock::now())) {
      case GangPlacing::Step::kGoOn:
        return std::nullopt;
      case GangPlacing::Step::kGiveBack:
        give_back();
        break;
      case GangPlacing::Step::kStayAway:
        break;
      case GangPlacing::Step::kMakeAgain:
        return make_again();
    }
    for (const PodState& pod : states_) pods_.end(pod, AttemptPods::Haste::kAtOnce);
    return RemoteState{.standing = RemoteStanding::kWaiting, .waits_for = why_away_};
  }

  void give_back() {
    const RemoteState now = standing();
    why_away_ = fmt::format(
        "ranks {} found no place within {} s while others held theirs; all places are given back for a while "
        "({})",
        fmt::join(ranks_without_place(states_), ", "), plan_.kubernetes->gang_wait_s, now.waits_for);
    std::error_code ignored;
    std::filesystem::remove(made_mark(folder_), ignored);
  }

  RemoteState make_again() {
    forget_pods(folder_);
    return make_all();
  }

  RemoteState make_all() {
    const auto made = make_pods(folder_, plan_, program_, pods_);
    is_half_made_ = !made.ok() && !pods_.states().ok();  // nobody answers: that is no refusal
    if (made.ok() || is_half_made_) return {.standing = RemoteStanding::kWaiting};
    return {.standing = RemoteStanding::kUnknown, .trouble = EndReason::refused(made.error())};
  }

  RemoteState standing() const {
    const auto waiting =
        std::ranges::find_if(states_, [](const PodState& pod) { return pod.phase == "Pending"; });
    if (waiting != states_.end()) {
      const std::string why = waiting->message.empty() ? waiting->reason : waiting->message;
      return {.standing = RemoteStanding::kWaiting,
              .waits_for = why.empty() ? "" : fmt::format("rank {}: {}", waiting->rank, why)};
    }
    std::set<std::string> nodes;
    RemoteState state{.standing = RemoteStanding::kRunning};
    for (const PodState& pod : states_) {
      nodes.insert(pod.node);
      if (pod.is_node_silent) state.suspects.push_back(pod.rank);
    }
    state.where = fmt::format("{}", fmt::join(nodes, ", "));
    return state;
  }

  // Pods stay until they are removed: by us, when all is over, or by somebody else. Of those that were told
  // to end Kubernetes hears some seconds after their ranks are gone.
  bool is_over() const {
    if (asked_at_ && all_have_said_their_end()) return true;
    const auto has_ended = [](const PodState& pod) { return pod.is_over(); };
    if (!std::ranges::all_of(states_, has_ended)) return false;
    return asked_at_ || states_.size() == static_cast<std::size_t>(plan_.workers) || were_removed_by_us();
  }

  bool were_removed_by_us() const { return states_.empty() && all_have_said_their_end(); }

  bool all_have_said_their_end() const {
    for (int rank = 0; rank < plan_.workers; ++rank) {
      if (!has_said_its_end(rank)) return false;
    }
    return true;
  }

  // What befell pods that their ranks cannot tell. Empty: nothing.
  EndReason trouble() {
    if (were_removed_by_us()) return {};
    for (int rank = 0; rank < plan_.workers; ++rank) {
      const auto pod = std::ranges::find(states_, rank, &PodState::rank);
      if (pod == states_.end() || (pod->is_going && !pod->is_node_silent))
        return EndReason::preempted("Kubernetes", fmt::format("the pod of rank {} was deleted", rank));
      if (pod->phase == "Failed" && !has_said_its_end(rank)) return end_of(*pod);
    }
    return trouble_at_the_start();
  }

  // What was wrong at first says more than the words that come back later.
  EndReason trouble_at_the_start() {
    const auto stuck = std::ranges::find_if(states_, can_never_start);
    if (stuck == states_.end()) {
      stuck_.reset();
      return {};
    }
    if (!stuck_) {
      stuck_ = {Clock::now(), EndReason::pod_not_started(stuck->rank, stuck->reason, stuck->message)};
    }
    return Clock::now() - stuck_->since < kTimeToStart ? EndReason() : stuck_->why;
  }

  EndReason end_of(const PodState& pod) const {
    if (pod.reason == "OOMKilled") return EndReason::memory_limit_of_pod(pod.rank);
    if (pod.reason == "Preempting" || pod.reason == "Preempted")
      return EndReason::preempted("Kubernetes", pod.message);
    if (pod.reason == "Evicted" || pod.reason == "NodeShutdown" || pod.reason == "Terminated" ||
        pod.reason == "NodeLost" || pod.reason == "NodeAffinity")
      return EndReason::node_lost("Kubernetes",
                                  fmt::format("rank {}: {} {}", pod.rank, pod.reason, pod.message));
    return EndReason::pod_status(pod.rank, pod.exit_status.value_or(0), pods_.last_words(pod));
  }

  bool has_said_its_end(int rank) const {
    std::error_code ignored;
    return std::filesystem::exists(folder_.rank_end(rank), ignored) ||
           std::filesystem::exists(folder_.node_end(rank), ignored);
  }

  // Where nobody answers a pod ends only here, or never.
  bool is_lost(const PodState& pod) const { return pod.is_node_silent || lost_.contains(pod.rank); }

  void end_pods() const {
    const bool had_its_time = Clock::now() - *asked_at_ > kTimeToEnd;
    for (const PodState& pod : states_) {
      if (is_lost(pod) || had_its_time) {
        pods_.end(pod, AttemptPods::Haste::kAtOnce);
      } else if (!pod.is_over() && !pod.is_going) {
        pods_.end(pod, AttemptPods::Haste::kWithGrace);
      }
    }
  }

  const AttemptFolder& folder_;
  const Plan& plan_;
  const std::string& program_;
  AttemptPods& pods_;
  GangPlacing placing_;
  std::string why_away_;
  bool is_half_made_ = false;
  std::vector<PodState> states_;
  std::set<int> lost_;
  std::optional<Clock::time_point> asked_at_;
  struct Stuck {
    Clock::time_point since;
    EndReason why;
  };
  std::optional<Stuck> stuck_;
};

}  // namespace

Result<RemoteEnd> run_kubernetes_attempt(const AttemptFolder& folder, const Plan& plan,
                                         const std::string& program, bool is_adopted) {
  AttemptPods pods(TRY(KubeApi::open(plan.kubernetes->kubeconfig)), plan);
  std::error_code ignored;
  if (!std::filesystem::exists(made_mark(folder), ignored)) {
    if (!is_adopted || !std::filesystem::exists(folder.token(), ignored)) TRY(prepare_nodes(folder));
    // What is there already is not made twice: whether it is need not be known.
    const HandingIn steps{.scheduler = "Kubernetes",
                          .is_there = [&]() -> Result<bool> {
                            TRY(pods.states());
                            return false;
                          },
                          .submit = [&] { return make_pods(folder, plan, program, pods); },
                          .pause = pause_a_second};
    if (const auto why_not = hand_in(folder, steps, false)) {
      remove_patiently(folder, pods);
      return RemoteEnd{
          .status = kRefusedByKubernetes, .reason = why_not->reason, .was_asked = why_not->was_asked};
    }
  }
  report_news(folder, is_adopted ? "found again" : "handed in", fmt::format("pods of {}", kube_name(plan)));
  KubernetesJob job(folder, plan, program, pods);
  const RemoteEnd end = follow_to_the_end(folder, plan, job);
  remove_patiently(folder, pods);
  return end;
}

}  // namespace lockstep::service
