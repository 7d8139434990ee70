#include "service/engine/attempt_supervisor.h"

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <poll.h>
#include <set>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/process/environment.h"
#include "base/process/signal_gate.h"
#include "catalogue/advice.h"
#include "diagnose/diagnose.h"
#include "record/recording.h"
#include "report/findings_json.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/heartbeat.h"
#include "service/engine/last_record.h"
#include "service/engine/memory_limit.h"
#include "service/engine/nodes/follow_remote_job.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/plan.h"
#include "service/engine/plan_check.h"
#include "service/engine/watched_gang.h"
#include "service/job/job.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kLargestEnd = std::size_t{64} << 20;
constexpr int kNoLastWord = 137;  // as of a process that was killed

// None: the records could not be read.
std::optional<model::Verdict> judged(const AttemptFolder& folder, const std::vector<model::Finding>& seen,
                                     std::size_t ranks_recorded) {
  auto found = diagnose::diagnose_watched({folder.recording()}, seen);
  if (!found.ok()) return std::nullopt;
  model::Verdict& verdict = found.value().verdict;
  if (ranks_recorded == 0) {
    verdict.limits.push_back("no rank was recorded: none of them began to communicate");
  }
  return std::move(verdict);
}

EndReason reason_for(const Plan& plan, int status, bool was_hung, const std::vector<RankEnd>& ranks) {
  if (was_hung) return EndReason::hung();
  if (status == kTimeLimitStatus && plan.time_limit_s > 0) return EndReason::time_limit(plan.time_limit_s);
  const auto first = first_failed(ranks);
  if (!first) return EndReason::exit_status(status);
  for (const RankEnd& rank : ranks) {
    if (rank.rank != *first) continue;
    if (rank.hit_memory_limit)
      return EndReason::memory_limit(*first, memory_in_words(plan.memory_per_worker));
    if (rank.signal) return EndReason::rank_signal(*first, *rank.signal);
    return EndReason::rank_status(*first, rank.exit_status.value_or(0));
  }
  return {};
}

// A scheduler's own word counts more than that of a rank which was signalled as schedulers end their jobs.
bool is_fault_of_rank(const std::vector<RankEnd>& ranks) {
  const auto first = first_failed(ranks);
  return std::ranges::any_of(
      ranks, [&](const RankEnd& rank) { return rank.rank == first && rank.signal != SIGTERM; });
}

// The status of the rank that failed first; a scheduler's own is that of whoever it killed last.
int status_of(const std::vector<RankEnd>& ranks, int workers, int otherwise) {
  if (const auto first = first_failed(ranks)) {
    for (const RankEnd& rank : ranks) {
      if (rank.rank == *first)
        return rank.signal ? 128 + *rank.signal : rank.exit_status.value_or(kNoLastWord);
    }
  }
  const bool all_have_status_0 =
      static_cast<int>(ranks.size()) == workers && std::ranges::all_of(ranks, [](const RankEnd& rank) {
        return !rank.signal && rank.exit_status.value_or(1) == 0;
      });
  return all_have_status_0 ? 0 : std::max(otherwise, 1);
}

std::string as_text(const AttemptEnd& end) {
  const base::Json json = {{"succeeded", end.succeeded}, {"exit_status", end.exit_status},
                           {"reason", end.reason.text},  {"end_kind", word_for(end.reason.kind)},
                           {"findings", end.findings},   {"ended_ms", end.ended_ms}};
  return base::to_text(json, base::JsonLayout::kOneLine);
}

// Between looks at what stands in the way: a full disk, a file system that does not answer.
constexpr int kBetweenTriesMs = 1000;
// Room on the disk for the last record. One with findings that takes more is written without them when the
// disk is full.
constexpr std::size_t kRoomForEnd = std::size_t{256} << 10;

// False as soon as this process is told to end.
bool wait_a_little(const process::SignalGate& signals) {
  pollfd watched{.fd = signals.fd(), .events = POLLIN, .revents = 0};
  return ::poll(&watched, 1, kBetweenTriesMs) <= 0;
}

// What lies in the folder decides how the attempt ended: while it cannot be read, nothing is decided.
template <typename T>
Result<T> read_patiently(const process::SignalGate& signals, const std::function<Result<T>()>& read) {
  for (;;) {
    auto found = read();
    if (found.ok() || !wait_a_little(signals)) return found;
  }
}

Result<void> write_end(LastRecord& record, AttemptEnd end, const process::SignalGate& signals) {
  if (record.write(as_text(end)).ok()) return {};
  end.findings = {};
  return record.write_patiently(as_text(end), [&] { return wait_a_little(signals); });
}

// Not of a user's own error: those end at once.
bool may_be_of_the_set_up(const std::optional<model::Verdict>& verdict) {
  if (!verdict || verdict->findings.empty()) return true;
  const model::Finding& first = verdict->findings.front();
  return first.leaf == model::Leaf::kSetupFail ||
         catalogue::remedy_for(first.code) != catalogue::Remedy::kNone;
}

void ask_for_repair(const AttemptFolder& folder, const Plan& plan,
                    const std::optional<model::Verdict>& verdict) {
  if (!plan.may_repair || !may_be_of_the_set_up(verdict)) return;
  if (!plan.is_on_cluster() && !keep_facts(folder, plan, 0).ok()) return;
  const SetUpRepair repair = repair_for(folder, plan, process::own_environment());
  static_cast<void>(write_set_up_repair(folder, repair).ok());
}

// A failure is explained, and what would repair it is left for the service.
void explain(const AttemptFolder& folder, const Plan& plan, const GangEnd& gang, AttemptEnd& end) {
  const std::optional<model::Verdict> verdict = judged(folder, gang.findings, gang.ranks_recorded);
  if (verdict) end.findings = report::findings_as_json(*verdict);
  ask_for_repair(folder, plan, verdict);
}

Result<std::vector<RankEnd>> rank_ends_in(const AttemptFolder& folder, const Plan& plan,
                                          const process::SignalGate& signals) {
  return read_patiently<std::vector<RankEnd>>(signals, [&] { return read_rank_ends(folder, plan.workers); });
}

// A recording that cannot be finished, as on a full disk, is one of a job that was cut off: that does not
// change how the job ended.
void finish_if_possible(const AttemptFolder& folder) {
  static_cast<void>(record::finish_recording(folder.recording()).ok());
}

Result<AttemptEnd> run_here(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                            const process::SignalGate& signals) {
  const std::filesystem::path recording = TRY(make_gang_recording(folder, plan, 0));
  const GangEnd gang = TRY(run_watched_gang(folder, plan, {.program = program, .recording = recording}));
  AttemptEnd end;
  end.exit_status = gang.status;
  end.succeeded = gang.status == 0 && !gang.was_hung;
  if (end.succeeded) {
    finish_if_possible(folder);
  } else {
    end.reason = reason_for(plan, gang.status, gang.was_hung, TRY(rank_ends_in(folder, plan, signals)));
  }
  if (end.succeeded || gang.was_asked) return end;
  explain(folder, plan, gang, end);
  return end;
}

Result<AttemptEnd> run_on_cluster(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                                  bool is_adopted, const process::SignalGate& signals) {
  const RemoteEnd remote = TRY(plan.kubernetes ? run_kubernetes_attempt(folder, plan, program, is_adopted)
                                               : run_slurm_attempt(folder, plan, program, is_adopted));
  const std::vector<RankEnd> ranks = TRY(rank_ends_in(folder, plan, signals));
  const GangEnd head = TRY(read_patiently<std::optional<GangEnd>>(signals, [&] {
                         return read_gang_end(folder.node_end(0));
                       })).value_or(GangEnd{.status = kNoLastWord});
  AttemptEnd end;
  end.exit_status = remote.status != 0 ? remote.status : status_of(ranks, plan.workers, head.status);
  end.succeeded = end.exit_status == 0 && !head.was_hung;
  if (end.succeeded) finish_if_possible(folder);
  if (!end.succeeded) {
    const EndReason elsewhere = remote.reason.is_empty() ? fault_of_nodes(folder, plan.nodes) : remote.reason;
    end.reason = is_fault_of_rank(ranks) || head.was_hung || elsewhere.is_empty()
                     ? reason_for(plan, end.exit_status, head.was_hung, ranks)
                     : elsewhere;
  }
  if (end.succeeded || remote.was_asked || !remote.has_run) return end;
  explain(folder, plan, head, end);
  return end;
}

void mend_before_start(const AttemptFolder& folder, const Plan& plan) {
  for (const std::string& file : put_away_stale_meetings(plan, process::own_environment()))
    report_news(folder, "repaired",
                fmt::format("{} was left by an earlier run; it is {}.stale now", file, file));
}

Result<AttemptEnd> run_attempt(const AttemptFolder& folder, const std::string& program, bool is_adopted,
                               const process::SignalGate& signals) {
  const Plan plan = TRY(read_plan(folder.plan()));
  if (!is_adopted) TRY(base::write_file(folder.check(), check_plan(plan, process::own_environment())));
  if (plan.may_repair) mend_before_start(folder, plan);
  return plan.is_on_cluster() ? run_on_cluster(folder, plan, program, is_adopted, signals)
                              : run_here(folder, plan, program, signals);
}

Result<void> supervise_attempt(const AttemptFolder& folder, const std::string& program, LastRecord& record,
                               bool is_adopted, const process::SignalGate& signals) {
  auto ran = run_attempt(folder, program, is_adopted, signals);
  AttemptEnd end;
  if (ran.ok()) {
    end = std::move(ran).value();
  } else {
    end.exit_status = 2;
    end.reason = EndReason::not_started(ran.error());
  }
  end.ended_ms = now_in_ms();
  return write_end(record, std::move(end), signals);
}

// What a supervisor is told before it follows its ranks waits for whoever will follow them.
process::SignalGate signals_held_back() {
  return process::SignalGate({SIGTERM, SIGINT, SIGHUP});
}

// Nothing begins on a disk that could not take its end. None: this process was told to end meanwhile.
std::unique_ptr<LastRecord> record_with_room(const AttemptFolder& folder, const process::SignalGate& held) {
  bool is_told = false;
  for (;;) {
    auto record = std::make_unique<LastRecord>(folder.end(), kRoomForEnd);
    if (record->has_room()) return record;
    if (!is_told)
      report_news(folder, "waiting",
                  fmt::format("no space left on the disk that holds {}", folder.path.string()));
    is_told = true;
    if (is_end_asked(folder)) return record;
    std::error_code fault;
    if (!std::filesystem::exists(folder.path, fault) && !fault) return nullptr;  // somebody removed it
    if (!wait_a_little(held)) return nullptr;
  }
}

}  // namespace

Result<void> begin_attempt(const AttemptFolder& folder, const std::string& program) {
  const process::SignalGate held = signals_held_back();
  const auto mine = TRY(take_attempt(folder));
  if (!mine || TRY(is_there(folder.started()))) return {};
  const auto record = record_with_room(folder, held);
  if (record == nullptr || !TRY(mark_started(folder))) return {};
  if (is_end_asked(folder)) {
    return write_end(
        *record, AttemptEnd{false, 128 + SIGTERM, EndReason::stopped_before_start(), {}, now_in_ms()}, held);
  }
  return supervise_attempt(folder, program, *record, false, held);
}

Result<void> adopt_attempt(const AttemptFolder& folder, const std::string& program) {
  const process::SignalGate held = signals_held_back();
  const auto mine = TRY(take_attempt(folder));
  if (!mine || TRY(is_there(folder.end()))) return {};
  LastRecord record(folder.end(), kRoomForEnd);
  TRY(base::write_file(folder.started(), std::to_string(::getpid())));
  if (is_end_asked(folder)) ::raise(SIGTERM);
  return supervise_attempt(folder, program, record, true, held);
}

namespace {

AttemptEnd decode_attempt_end(const base::Json& json) {
  return {json.at("succeeded").get<bool>(),
          json.at("exit_status").get<int>(),
          {end_kind_named(json.value("end_kind", std::string())),  // none in earlier versions
           json.at("reason").get<std::string>()},
          decode_kept_findings(json.at("findings")),
          json.at("ended_ms").get<std::int64_t>()};
}

constexpr std::size_t kLargestRankEnd = std::size_t{1} << 20;

}  // namespace

Result<std::optional<AttemptEnd>> read_attempt_end(const AttemptFolder& folder) {
  auto end = TRY(read_record<AttemptEnd>(folder.end(), kLargestEnd, decode_attempt_end));
  if (!end && TRY(is_there(folder.end()))) end = AttemptEnd{false, 2, EndReason::damaged_end(), {}, 0};
  return end;
}

base::Json read_check(const AttemptFolder& folder) {
  const auto text = base::read_file(folder.check(), kLargestEnd);
  auto json = text.ok() ? base::parse_json(text.value(), "check.json") : Result<base::Json>(text.error());
  return json.ok() ? std::move(json).value() : base::Json();
}

Result<std::vector<RankEnd>> read_rank_ends(const AttemptFolder& folder, int workers) {
  std::vector<RankEnd> ends;
  for (int rank = 0; rank < workers; ++rank) {
    auto end = TRY(read_record<RankEnd>(folder.rank_end(rank), kLargestRankEnd, decode_rank_end));
    if (end) ends.push_back(std::move(*end));
  }
  return ends;
}

Result<std::vector<RankEnd>> read_ranks(const AttemptFolder& folder, int workers) {
  std::vector<RankEnd> ranks = TRY(read_rank_ends(folder, workers));
  std::set<int> ended;
  for (const RankEnd& rank : ranks) ended.insert(rank.rank);
  for (int rank = 0; rank < workers; ++rank) {
    const auto sign = ended.contains(rank) ? std::nullopt : read_heartbeat(folder.sign_of_life(rank));
    if (!sign) continue;
    RankEnd& running = ranks.emplace_back();
    running.rank = rank;
    running.started_ms = sign->started_ms;
    running.alive_ms = sign->last_ms;
  }
  std::ranges::sort(ranks, {}, &RankEnd::rank);
  return ranks;
}

bool all_ended_well(const std::vector<RankEnd>& ranks, int workers) {
  return workers > 0 && static_cast<int>(ranks.size()) == workers &&
         std::ranges::all_of(ranks, [](const RankEnd& rank) {
           return rank.ended_ms != 0 && !rank.signal && rank.exit_status == 0 && !rank.was_asked;
         });
}

std::optional<int> first_failed(const std::vector<RankEnd>& ranks) {
  const RankEnd* first = nullptr;
  for (const RankEnd& rank : ranks) {
    if (rank.failed_by_itself() && (first == nullptr || rank.ended_ms < first->ended_ms)) first = &rank;
  }
  return first == nullptr ? std::nullopt : std::optional(first->rank);
}

}  // namespace lockstep::service
