#include "service/engine/attempt_supervisor.h"

#include <algorithm>
#include <csignal>
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

// The status of the rank that failed first; a scheduler's own is that of whoever it killed last.
int status_of(const std::vector<RankEnd>& ranks, int workers, int otherwise) {
  if (const auto first = first_failed(ranks)) {
    for (const RankEnd& rank : ranks) {
      if (rank.rank == *first)
        return rank.signal ? 128 + *rank.signal : rank.exit_status.value_or(kNoLastWord);
    }
  }
  const bool all_ended_well =
      static_cast<int>(ranks.size()) == workers && std::ranges::all_of(ranks, [](const RankEnd& rank) {
        return !rank.signal && rank.exit_status.value_or(1) == 0;
      });
  return all_ended_well ? 0 : std::max(otherwise, 1);
}

Result<void> write_end(const AttemptFolder& folder, const AttemptEnd& end) {
  const base::Json json = {{"succeeded", end.succeeded}, {"exit_status", end.exit_status},
                           {"reason", end.reason.text},  {"end_kind", word_for(end.reason.kind)},
                           {"findings", end.findings},   {"ended_ms", end.ended_ms}};
  return base::write_file(folder.end(), base::to_text(json, base::JsonLayout::kOneLine));
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

Result<AttemptEnd> run_here(const AttemptFolder& folder, const Plan& plan, const std::string& program) {
  const std::filesystem::path recording = TRY(make_gang_recording(folder, plan, 0));
  const GangEnd gang = TRY(run_watched_gang(folder, plan, {.program = program, .recording = recording}));
  AttemptEnd end;
  end.exit_status = gang.status;
  end.succeeded = gang.status == 0 && !gang.was_hung;
  if (end.succeeded) TRY(record::finish_recording(folder.recording()));
  if (!end.succeeded)
    end.reason = reason_for(plan, gang.status, gang.was_hung, read_rank_ends(folder, plan.workers));
  if (end.succeeded || gang.was_asked) return end;
  explain(folder, plan, gang, end);
  return end;
}

Result<AttemptEnd> run_on_cluster(const AttemptFolder& folder, const Plan& plan, const std::string& program,
                                  bool is_adopted) {
  const RemoteEnd remote = TRY(plan.kubernetes ? run_kubernetes_attempt(folder, plan, program, is_adopted)
                                               : run_slurm_attempt(folder, plan, program, is_adopted));
  const std::vector<RankEnd> ranks = read_rank_ends(folder, plan.workers);
  const GangEnd head = read_gang_end(folder.node_end(0)).value_or(GangEnd{.status = kNoLastWord});
  AttemptEnd end;
  end.exit_status = remote.status != 0 ? remote.status : status_of(ranks, plan.workers, head.status);
  end.succeeded = end.exit_status == 0 && !head.was_hung;
  if (end.succeeded) TRY(record::finish_recording(folder.recording()));
  if (!end.succeeded) {
    const EndReason elsewhere = remote.reason.is_empty() ? fault_of_nodes(folder, plan.nodes) : remote.reason;
    end.reason = first_failed(ranks) || head.was_hung || elsewhere.is_empty()
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

Result<AttemptEnd> run_attempt(const AttemptFolder& folder, const std::string& program, bool is_adopted) {
  const Plan plan = TRY(read_plan(folder.plan()));
  if (!is_adopted) TRY(base::write_file(folder.check(), check_plan(plan, process::own_environment())));
  if (plan.may_repair) mend_before_start(folder, plan);
  return plan.is_on_cluster() ? run_on_cluster(folder, plan, program, is_adopted)
                              : run_here(folder, plan, program);
}

Result<void> supervise_attempt(const AttemptFolder& folder, const std::string& program, bool is_adopted) {
  auto ran = run_attempt(folder, program, is_adopted);
  AttemptEnd end;
  if (ran.ok()) {
    end = std::move(ran).value();
  } else {
    end.exit_status = 2;
    end.reason = EndReason::not_started(ran.error());
  }
  end.ended_ms = now_in_ms();
  return write_end(folder, end);
}

// What a supervisor is told before it follows its ranks waits for whoever will follow them.
process::SignalGate signals_held_back() {
  return process::SignalGate({SIGTERM, SIGINT, SIGHUP});
}

}  // namespace

Result<void> begin_attempt(const AttemptFolder& folder, const std::string& program) {
  const process::SignalGate held = signals_held_back();
  const auto mine = take_attempt(folder);
  if (!mine || !mark_started(folder)) return {};
  if (is_end_asked(folder)) {
    return write_end(folder,
                     AttemptEnd{false, 128 + SIGTERM, EndReason::stopped_before_start(), {}, now_in_ms()});
  }
  return supervise_attempt(folder, program, false);
}

Result<void> adopt_attempt(const AttemptFolder& folder, const std::string& program) {
  const process::SignalGate held = signals_held_back();
  const auto mine = take_attempt(folder);
  std::error_code ignored;
  if (!mine || std::filesystem::exists(folder.end(), ignored)) return {};
  TRY(base::write_file(folder.started(), std::to_string(::getpid())));
  if (is_end_asked(folder)) ::raise(SIGTERM);
  return supervise_attempt(folder, program, true);
}

std::optional<AttemptEnd> read_attempt_end(const AttemptFolder& folder) {
  const auto text = base::read_file(folder.end(), kLargestEnd);
  if (!text.ok()) return std::nullopt;
  const auto json = base::parse_json(text.value(), "end.json");
  if (!json.ok()) return std::nullopt;
  try {
    return AttemptEnd{
        json.value().at("succeeded").get<bool>(),
        json.value().at("exit_status").get<int>(),
        {end_kind_named(json.value().value("end_kind", std::string())),  // none in earlier versions
         json.value().at("reason").get<std::string>()},
        decode_kept_findings(json.value().at("findings")),
        json.value().at("ended_ms").get<std::int64_t>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

base::Json read_check(const AttemptFolder& folder) {
  const auto text = base::read_file(folder.check(), kLargestEnd);
  auto json = text.ok() ? base::parse_json(text.value(), "check.json") : Result<base::Json>(text.error());
  return json.ok() ? std::move(json).value() : base::Json();
}

std::vector<RankEnd> read_rank_ends(const AttemptFolder& folder, int workers) {
  std::vector<RankEnd> ends;
  for (int rank = 0; rank < workers; ++rank) {
    const auto text = base::read_file(folder.rank_end(rank), 1 << 20);
    if (!text.ok()) continue;
    const auto json = base::parse_json(text.value(), "rank");
    if (!json.ok()) continue;
    try {
      ends.push_back(decode_rank_end(json.value()));
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  }
  return ends;
}

std::vector<RankEnd> read_ranks(const AttemptFolder& folder, int workers) {
  std::vector<RankEnd> ranks = read_rank_ends(folder, workers);
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

std::optional<int> first_failed(const std::vector<RankEnd>& ranks) {
  const RankEnd* first = nullptr;
  for (const RankEnd& rank : ranks) {
    if (rank.failed_by_itself() && (first == nullptr || rank.ended_ms < first->ended_ms)) first = &rank;
  }
  return first == nullptr ? std::nullopt : std::optional(first->rank);
}

}  // namespace lockstep::service
