#include "service/retry/retry_policy.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "catalogue/advice.h"
#include "model/finding_code.h"
#include "service/engine/memory_limit.h"
#include "service/engine/nodes/shares.h"

namespace lockstep::service {
namespace {

base::Json encoded(const std::optional<std::string>& value) {
  return value ? base::Json(*value) : base::Json();
}

std::optional<std::string> decoded_value(const base::Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<std::string>());
}

std::string shown(const std::optional<std::string>& value) {
  return value && !value->empty() ? *value : "nothing";
}

}  // namespace

std::string in_words(const SetUpRepair& repair) {
  std::vector<std::string> words;
  for (const SetUpRepair::Change& change : repair.changes) {
    words.push_back(fmt::format("{} from {} to {}{}", change.variable, shown(change.before),
                                shown(change.after), change.node.empty() ? "" : " on " + change.node));
  }
  if (!repair.command.empty())
    words.push_back(fmt::format("the command to '{}'", fmt::join(repair.command, " ")));
  return fmt::format("changed {} because of {}", fmt::join(words, ", "), fmt::join(repair.because, "; "));
}

base::Json encode_set_up_repair(const SetUpRepair& repair) {
  base::Json changes = base::Json::array();
  for (const SetUpRepair::Change& change : repair.changes) {
    changes.push_back({{"variable", change.variable},
                       {"before", encoded(change.before)},
                       {"after", encoded(change.after)},
                       {"node", change.node}});
  }
  return {{"changes", changes},
          {"command", repair.command},
          {"codes", repair.codes},
          {"because", repair.because},
          {"outside", repair.outside}};
}

SetUpRepair decode_set_up_repair(const base::Json& json) {
  using Words = std::vector<std::string>;
  SetUpRepair repair{.command = json.at("command").get<Words>(),
                     .codes = json.at("codes").get<Words>(),
                     .because = json.at("because").get<Words>(),
                     .outside = json.at("outside").get<Words>()};
  for (const base::Json& change : json.at("changes")) {
    repair.changes.push_back({change.at("variable").get<std::string>(), decoded_value(change.at("before")),
                              decoded_value(change.at("after")), change.at("node").get<std::string>()});
  }
  return repair;
}

namespace {

using catalogue::Remedy;

// Times as much memory after a rank ran out of it: a smaller step fails again, and costs an attempt each
// time. Held by RetryPolicy.MemoryGrowsAsFarAsAllowed.
constexpr int kMoreMemoryFactor = 2;
// So much later than the first failure a sign of life may be written by a rank that was gone before it:
// clocks of nodes and a shared disk differ by that. Held by RetryPolicy.ASignOfLifeMayBeALittleLate.
constexpr std::chrono::milliseconds kBeatsLate{300};
// So long before the last sign of anybody a rank was silent already when all were told to end: five signs
// that did not come. Held by RetryPolicy.ANodeIsLostWhoseRanksWereSilentForFiveSeconds.
constexpr std::chrono::milliseconds kWithoutSign{5000};

// What the user can say of interfaces and what the service says when he does not.
constexpr std::array<std::string_view, 6> kNetworkVariables = {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME",
                                                               "TP_SOCKET_IFNAME",   "HOROVOD_GLOO_IFACE",
                                                               "NCCL_SOCKET_FAMILY", "NCCL_IB_HCA"};

// What the script or its surroundings did wrong, and will do again. What a lost peer or a failed device makes
// ranks say may be a consequence of anything.
bool is_users_error(const model::Finding& finding) {
  if (finding.code.is(model::CodeFamily::kMismatch)) return true;
  const bool may_be_a_consequence =
      finding.code.is_wait() || finding.code.is_echo() || finding.leaf == model::Leaf::kRunComm ||
      finding.leaf == model::Leaf::kSetupFail || finding.leaf == model::Leaf::kRunDevice;
  return !may_be_a_consequence && model::is_fatal(finding.leaf) &&
         catalogue::remedy_for(finding.code) == Remedy::kNone;
}

class Judgement {
 public:
  explicit Judgement(const FailedAttempt& failed)
      : job_(failed.job),
        attempt_(failed.attempt),
        findings_(failed.findings),
        silent_(failed.silent),
        set_up_(failed.repair) {
    made_.repairs = job_.repairs;
    made_.memory_bytes = job_.per_worker.memory_bytes;
    if (failed.newest_checkpoint_ms > job_.repairs.newest_checkpoint_ms) {
      made_.repairs.newest_checkpoint_ms = failed.newest_checkpoint_ms;
      made_.repairs.retries_used = 0;
      made_.repairs.done.clear();
      budget_note_ = "; there is a newer checkpoint, so nothing counts that came before";
    }
  }

  Decision decision() && {
    judge();
    if (made_.is_retried) ++made_.repairs.retries_used;
    if (made_.is_retried) made_.why += budget_note_;
    return std::move(made_);
  }

 private:
  void judge() {
    if (ended_by(EndKind::kTimeLimit)) return refuse("it was at its time limit");
    if (ended_by(EndKind::kCancelledOutside)) return refuse("somebody wanted it to end");
    if (const auto lost = lost_nodes(); !lost.empty()) return go_elsewhere("lost", lost);
    if (const RankEnd* first = first_failure()) {
      if (first->hit_memory_limit) return give_more_memory();
      if (first->signal == SIGBUS)
        return apply(Remedy::kSharedSpace, std::string(model::codes::kBusError.text));
      if (was_told_from_outside(*first))
        return repeat("preempted", fmt::format("rank {} was told to end from outside", first->rank));
    }
    if (ended_by(EndKind::kPreempted) || ended_by(EndKind::kNodeLost))
      return repeat("preempted", attempt_.reason.text);
    if (is_mended_by_rules()) return apply_rules();
    if (ended_by(EndKind::kHung) || ended_by(EndKind::kSilent)) {
      const model::Finding* cause = cause_among(findings_);
      if (cause != nullptr && is_users_error(*cause)) return apply(Remedy::kNone, cause->code.text());
      return retry_hang();
    }
    if (findings_.empty()) return retry_unknown();
    return apply(catalogue::remedy_for(findings_.front().code), findings_.front().code.text());
  }

  // What the rules would change names their repair, not the sentence that says why.
  std::string name_of_rules() const {
    std::vector<std::string> parts;
    for (const SetUpRepair::Change& change : set_up_.changes)
      parts.push_back(fmt::format("{}={}{}", change.variable, change.after.value_or(""),
                                  change.node.empty() ? "" : "@" + change.node));
    if (!set_up_.command.empty()) parts.push_back(fmt::format("{}", fmt::join(set_up_.command, " ")));
    return fmt::format("set-up: {}", fmt::join(parts, ", "));
  }

  // What the rules would change is what failed: by the code that such a job shows, or since nothing else is
  // known of the fault.
  bool is_mended_by_rules() const {
    if (!set_up_.changes_the_job() || was_done(name_of_rules())) return false;
    if (findings_.empty()) return true;
    const std::string& code = findings_.front().code.text();
    const Remedy remedy = catalogue::remedy_for(code);
    return std::ranges::find(set_up_.codes, code) != set_up_.codes.end() || remedy == Remedy::kOwnNetwork ||
           remedy == Remedy::kOtherPorts || remedy == Remedy::kUnknown;
  }

  void apply_rules() {
    for (const SetUpRepair::Change& change : set_up_.changes) {
      auto& variables =
          change.node.empty() ? made_.repairs.environment : made_.repairs.node_environment[change.node];
      variables[change.variable] = change.after.value_or("");
    }
    if (!set_up_.command.empty()) made_.repairs.command = set_up_.command;
    if (!has_budget()) return;
    made_.is_retried = true;
    made_.repairs.done.push_back(name_of_rules());
    made_.why = in_words(set_up_);
    if (!findings_.empty()) made_.why = fmt::format("{}: {}", findings_.front().code.text(), made_.why);
    describe_what_is_outside();
  }

  void describe_what_is_outside() {
    if (set_up_.outside.empty()) return;
    made_.why +=
        fmt::format("; not done, since it is not the job's own: {}", fmt::join(set_up_.outside, "; "));
  }

  void apply(Remedy remedy, const std::string& code) {
    switch (remedy) {
      case Remedy::kNone:
        return refuse(fmt::format("{} would happen again", code));
      case Remedy::kOtherPorts:
        return repair(code, "other ports are chosen");
      case Remedy::kOwnNetwork:
        return choose_network(code);
      case Remedy::kOtherNodes:
        return go_elsewhere(code, nodes_of(findings_.front().root_ranks));
      case Remedy::kMoreMemory:
        return give_more_memory();
      case Remedy::kSharedSpace:
        made_.repairs.has_own_shared_memory = true;
        return repair(code, "the ranks get a larger /dev/shm of their own");
      case Remedy::kAgain:
        return repeat(code, "nothing was wrong with the job itself");
      case Remedy::kUnknown:
        return retry_unknown();
    }
  }

  bool ended_by(EndKind kind) const { return attempt_.reason.kind == kind; }

  static bool was_told_from_outside(const RankEnd& rank) {
    return rank.signal == SIGTERM || rank.signal == SIGUSR1 || rank.signal == SIGHUP;
  }

  const RankEnd* first_failure() const {
    const auto found = std::ranges::find_if(
        attempt_.ranks, [&](const RankEnd& rank) { return attempt_.first_failed_rank == rank.rank; });
    return found == attempt_.ranks.end() ? nullptr : &*found;
  }

  // Each fault is repaired once: when it comes back, it was not repaired.
  void repair(const std::string& name, const std::string& what) {
    if (was_done(name)) return refuse(fmt::format("{} came back after it was repaired", name));
    if (!has_budget()) return;
    made_.is_retried = true;
    made_.repairs.done.push_back(name);
    made_.why = fmt::format("{}: {}", name, what);
  }

  void repeat(const std::string& name, const std::string& what) {
    if (!has_budget()) return;
    made_.is_retried = true;
    made_.why = fmt::format("{}: {}", name, what);
  }

  bool has_budget() {
    if (made_.repairs.retries_used < std::max(job_.spec.repairs, job_.spec.retries)) return true;
    const int used = made_.repairs.retries_used;
    refuse(used == 0 ? "it may not be" : fmt::format("it was started again {} times already", used));
    return false;
  }

  void retry_unknown() {
    const int used = made_.repairs.retries_used;
    if (used >= job_.spec.retries) {
      return refuse(job_.spec.retries > 0 ? fmt::format("it was started again {} times already", used)
                                          : std::string("nothing is known that would go better"));
    }
    made_.is_retried = true;
    made_.why = fmt::format("retry {} of {}", used + 1, job_.spec.retries);
  }

  void choose_network(const std::string& code) {
    std::vector<std::string> taken;
    for (const std::string_view name : kNetworkVariables) {
      const std::string variable(name);
      if (job_.spec.environment.contains(variable) && !made_.repairs.environment.contains(variable))
        taken.push_back(variable);
    }
    if (taken.empty()) {
      repair(code, "addresses and ports are chosen anew");
      return describe_what_is_outside();
    }
    for (const std::string& variable : taken) made_.repairs.environment[variable] = "";
    repair(fmt::format("{} with {}", code, fmt::join(taken, " ")),
           "the variables are left out, and the service chooses the interface");
    describe_what_is_outside();
  }

  void give_more_memory() {
    const std::int64_t most = job_.spec.memory_most;
    const std::int64_t now = job_.per_worker.memory_bytes;
    if (now == 0 || most <= now) {
      return refuse(most == 0 ? "more memory was not allowed (memory_most)"
                              : "it has as much memory as was allowed (memory_most)");
    }
    if (!has_budget()) return;
    made_.memory_bytes = std::min(most, now * kMoreMemoryFactor);
    made_.is_retried = true;
    made_.why = fmt::format("host memory: each rank may have {} now", memory_in_words(made_.memory_bytes));
  }

  void retry_hang() {
    if (was_done("hang")) return refuse("it hung again");
    if (!has_budget()) return;
    made_.repairs.done.emplace_back("hang");
    made_.is_retried = true;
    const std::vector<std::string> nodes =
        findings_.empty() ? std::vector<std::string>() : nodes_of(findings_.front().root_ranks);
    exclude(nodes);
    made_.why =
        nodes.empty() ? "hang: once more" : fmt::format("hang: once more without {}", fmt::join(nodes, ", "));
  }

  void go_elsewhere(const std::string& name, const std::vector<std::string>& nodes) {
    if (nodes.empty()) return refuse(fmt::format("{}: there is no other node", name));
    if (!has_budget()) return;
    exclude(nodes);
    made_.is_retried = true;
    made_.why = fmt::format("{}: without {} from now on", name, fmt::join(nodes, ", "));
  }

  void exclude(const std::vector<std::string>& nodes) {
    std::vector<std::string>& all = made_.repairs.excluded_nodes;
    for (const std::string& node : nodes) {
      if (std::ranges::find(all, node) == all.end()) all.push_back(node);
    }
  }

  std::string node_of(int rank) const {
    const Seat seat = seat_of(rank, attempt_.workers, attempt_.nodes);
    const auto number = static_cast<std::size_t>(seat.node);
    return number < attempt_.node_names.size() ? attempt_.node_names[number] : "";
  }

  template <typename Ranks>
  std::vector<std::string> nodes_of(const Ranks& ranks) const {
    std::set<std::string> names;
    for (const int rank : ranks) names.insert(node_of(rank));
    names.erase("");
    return {names.begin(), names.end()};
  }

  // A scheduler that gives up a job tells all its processes at once, and kills them soon after.
  static bool is_end_of_all(const RankEnd& rank) {
    return was_told_from_outside(rank) || rank.exit_status == 128 + SIGTERM;
  }

  // The last moment of which any rank tells.
  std::int64_t newest_sign_ms() const {
    std::int64_t newest = 0;
    for (const RankEnd& rank : silent_) newest = std::max(newest, rank.alive_ms);
    for (const RankEnd& rank : attempt_.ranks) newest = std::max(newest, rank.ended_ms);
    return newest;
  }

  std::int64_t first_end_ms() const {
    std::int64_t first = INT64_MAX;
    for (const RankEnd& rank : attempt_.ranks) first = std::min(first, rank.ended_ms);
    return attempt_.ranks.empty() ? 0 : first;
  }

  // A rank that was gone gave no sign after this moment. Those who are killed afterwards without a last word
  // lived on for a while: time for last words is given.
  std::int64_t last_sign_of_lost_ms() const {
    const RankEnd* first = first_failure();
    if (first != nullptr && !is_end_of_all(*first)) return first->ended_ms + kBeatsLate.count();
    const std::int64_t long_before = newest_sign_ms() - kWithoutSign.count();
    return ended_by(EndKind::kNodeLost) ? std::max(long_before, first_end_ms()) : long_before;
  }

  // Nodes with ranks that were gone before anything else failed, or long before the others were, or, where
  // the scheduler says that it lost a node, before it told the others to end.
  std::vector<std::string> lost_nodes() const {
    const std::int64_t until_ms = last_sign_of_lost_ms();
    std::vector<int> lost;
    for (const RankEnd& rank : silent_) {
      if (rank.alive_ms <= until_ms) lost.push_back(rank.rank);
    }
    return nodes_of(lost);
  }

  bool was_done(const std::string& name) const {
    return std::ranges::find(made_.repairs.done, name) != made_.repairs.done.end();
  }

  void refuse(std::string why) { made_.why = std::move(why); }

  const Job& job_;
  const Attempt& attempt_;
  const std::vector<model::Finding>& findings_;
  const std::vector<RankEnd>& silent_;
  const SetUpRepair& set_up_;
  Decision made_;
  std::string budget_note_;
};

}  // namespace

const model::Finding* cause_among(const std::vector<model::Finding>& findings) {
  const auto error = std::ranges::find_if(findings, is_users_error);
  if (error != findings.end()) return &*error;
  return findings.empty() ? nullptr : &findings.front();
}

Decision decide(const FailedAttempt& failed) {
  return Judgement(failed).decision();
}

}  // namespace lockstep::service
