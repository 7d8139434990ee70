#include "service/engine/keeper.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "diagnose/diagnose.h"
#include "launch/recorder_environment.h"
#include "launch/recording_folder.h"
#include "launch/run_job.h"
#include "launch/testimony.h"
#include "process/environment.h"
#include "record/recording.h"
#include "report/findings_json.h"
#include "report/live_findings.h"
#include "service/engine/admission_check.h"
#include "service/engine/gang.h"
#include "service/engine/heartbeat.h"
#include "service/engine/memory_limit.h"
#include "service/engine/plan.h"
#include "service/job/job_id.h"
#include "service/job/rank_end_json.h"
#include "witness/python_stacks.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kLargestEnd = std::size_t{64} << 20;

bool cannot_get_better(watch::Kind kind) {
  return kind == watch::Kind::kDecided || kind == watch::Kind::kHung;
}

// A hang would hold its share of the machine for ever: it is told, witnessed and ended.
Result<launch::WatchedEnd> run_watched(const AttemptFolder& folder, const Plan& plan,
                                       const std::string& program, bool& was_hung) {
  const launch::Installed parts = TRY(launch::find_installed());
  const auto recording =
      TRY(launch::make_recording_folder(folder.recording(), "", plan.command, "lockstep serve"));
  std::error_code ignored;
  std::filesystem::create_directory(recording / "output", ignored);
  std::filesystem::create_directory(folder.ranks(), ignored);
  const launch::TestimonyTaker testimony(recording, false);
  const launch::RecorderSettings settings{.folder = recording,
                                          .job = plan.job_id,
                                          .max_record_size = "256M",
                                          .stack_signal = witness::kStackSignal};
  const process::Command gang{{program, "service-part", "gang", folder.path.string()},
                              launch::with_recorder(process::own_environment(), parts, settings)};
  const auto on_notice = [&](const watch::Notice& notice, watch::Watcher& watcher, hosts::Link*) {
    if (!cannot_get_better(notice.kind)) return launch::Answer::kGoOn;
    was_hung = true;
    static_cast<void>(testimony.take(watcher.job(), notice.finding).ok());
    watcher.judge_again();
    return launch::Answer::kEndJob;
  };
  return launch::run_job(gang, recording, std::nullopt,
                         {.on_notice = on_notice, .on_news = {}, .on_trouble = {}});
}

std::string judged(const AttemptFolder& folder, const launch::WatchedEnd& end) {
  auto found = diagnose::diagnose_watched({folder.recording()}, end.findings);
  if (!found.ok()) return "";
  model::Verdict& verdict = found.value().verdict;
  if (end.ranks_recorded == 0) {
    verdict.limits.push_back("no rank was recorded: none of them began to communicate");
  }
  return report::encode_findings(verdict);
}

std::string reason_for(const Plan& plan, const launch::WatchedEnd& end, bool was_hung,
                       const std::vector<RankEnd>& ranks) {
  if (was_hung) return "the job could not go on and was ended";
  if (end.job.run.status() == kTimeLimitStatus && plan.time_limit_s > 0) {
    return fmt::format("ended at its time limit of {} s", plan.time_limit_s);
  }
  const auto first = first_failed(ranks);
  if (!first) return fmt::format("ended with status {}", end.job.run.status());
  for (const RankEnd& rank : ranks) {
    if (rank.rank != *first) continue;
    if (rank.hit_memory_limit)
      return fmt::format("rank {} went over its memory limit of {}", *first,
                         memory_in_words(plan.memory_per_worker));
    if (rank.signal) return fmt::format("rank {} was ended by signal {}", *first, *rank.signal);
    return fmt::format("rank {} ended with status {}", *first, rank.exit_status.value_or(0));
  }
  return "";
}

Result<void> write_end(const AttemptFolder& folder, const AttemptEnd& end) {
  const base::Json json = {{"succeeded", end.succeeded},
                           {"exit_status", end.exit_status},
                           {"reason", end.reason},
                           {"findings", end.findings},
                           {"ended_ms", end.ended_ms}};
  return base::write_file(folder.end(), base::to_text(json, base::JsonLayout::kOneLine));
}

Result<AttemptEnd> run_attempt(const AttemptFolder& folder, const std::string& program) {
  const Plan plan = TRY(read_plan(folder.plan()));
  TRY(base::write_file(folder.check(), check_plan(plan, process::own_environment())));
  bool was_hung = false;
  launch::WatchedEnd ended = TRY(run_watched(folder, plan, program, was_hung));
  launch::forget_what_passed(ended);
  remove_memory_groups(plan);
  TRY(report::keep_live_findings(folder.recording(), ended.findings));
  const bool was_asked = ended.job.run.interrupted_by.has_value() && !was_hung;
  AttemptEnd end;
  end.exit_status = ended.job.run.status();
  end.succeeded = end.exit_status == 0 && !was_hung;
  if (end.succeeded) TRY(record::finish_recording(folder.recording()));
  if (!end.succeeded) end.reason = reason_for(plan, ended, was_hung, read_rank_ends(folder, plan.workers));
  if (!end.succeeded && !was_asked) end.findings = judged(folder, ended);
  return end;
}

}  // namespace

Result<void> keep_attempt(const AttemptFolder& folder, const std::string& program) {
  const auto mine = take_attempt(folder);
  if (!mine || !mark_started(folder)) return {};
  auto ran = run_attempt(folder, program);
  AttemptEnd end;
  if (ran.ok()) {
    end = std::move(ran).value();
  } else {
    end.exit_status = 2;
    end.reason = fmt::format("{}: {}: {}", ran.error().what, ran.error().where, ran.error().why);
  }
  end.ended_ms = now_in_ms();
  return write_end(folder, end);
}

std::optional<AttemptEnd> read_attempt_end(const AttemptFolder& folder) {
  const auto text = base::read_file(folder.end(), kLargestEnd);
  if (!text.ok()) return std::nullopt;
  const auto json = base::parse_json(text.value(), "end.json");
  if (!json.ok()) return std::nullopt;
  try {
    return AttemptEnd{json.value().at("succeeded").get<bool>(), json.value().at("exit_status").get<int>(),
                      json.value().at("reason").get<std::string>(),
                      json.value().at("findings").get<std::string>(),
                      json.value().at("ended_ms").get<std::int64_t>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string read_check(const AttemptFolder& folder) {
  auto text = base::read_file(folder.check(), kLargestEnd);
  return text.ok() ? std::move(text).value() : std::string();
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
