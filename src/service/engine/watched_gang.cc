#include "service/engine/watched_gang.h"

#include "base/file.h"
#include "base/json.h"
#include "base/process/environment.h"
#include "report/findings_json.h"
#include "run/evidence/stacks.h"
#include "run/supervise/fault_evidence.h"
#include "run/supervise/recorder_environment.h"
#include "run/supervise/recording_folder.h"
#include "run/supervise/run_job.h"
#include "service/engine/memory_limit.h"
#include "service/job/job.h"

namespace lockstep::service {
namespace {

bool cannot_get_better(watch::Kind kind) {
  return kind == watch::Kind::kDecided || kind == watch::Kind::kHung;
}

// A hang would hold its share of the machine for ever: it is told, witnessed and ended.
class GangWatch {
 public:
  explicit GangWatch(const std::filesystem::path& recording) : evidence_(recording, false) {}

  supervise::Listener listener() {
    return {.on_notice = [this](const watch::Notice& notice, watch::Watcher& watcher,
                                multihost::Link*) { return on_notice(notice, watcher); },
            .on_news = [](const multihost::News&, watch::Watcher&,
                          multihost::Link&) { return supervise::Answer::kGoOn; },
            .on_error = [](const Error&) {}};
  }
  bool was_hung() const { return was_hung_; }

 private:
  supervise::Answer on_notice(const watch::Notice& notice, watch::Watcher& watcher) {
    if (!cannot_get_better(notice.kind)) return supervise::Answer::kGoOn;
    was_hung_ = true;
    static_cast<void>(evidence_.collect(watcher.job(), notice.finding).ok());
    watcher.judge_again();
    return supervise::Answer::kEndJob;
  }

  supervise::FaultEvidence evidence_;
  bool was_hung_ = false;
};

}  // namespace

Result<std::filesystem::path> make_gang_recording(const AttemptFolder& folder, const Plan& plan, int node) {
  auto recording =
      TRY(supervise::make_recording_folder(folder.node_recording(node), "", plan.command, "lockstep serve"));
  std::error_code ignored;
  std::filesystem::create_directories(recording / "output", ignored);
  std::filesystem::create_directory(folder.ranks(), ignored);
  return recording;
}

Result<GangEnd> run_watched_gang(const AttemptFolder& folder, const Plan& plan, const GangPlace& place) {
  const supervise::Installed parts = TRY(supervise::find_installed());
  const supervise::RecorderSettings settings{.folder = place.recording,
                                             .job = plan.job_id,
                                             .max_record_size = "256M",
                                             .stack_signal = evidence::kStackSignal};
  const process::Command gang{{place.program, "service-part", "gang", folder.path.string()},
                              supervise::with_recorder(process::own_environment(), parts, settings)};
  GangWatch watch(place.recording);
  supervise::WatchedEnd ended =
      TRY(supervise::run_job(gang, place.recording, place.others, watch.listener()));
  supervise::forget_what_passed(ended);
  remove_memory_groups(plan);
  // Of a job that has ended: what cannot be kept now does not change how it ended.
  static_cast<void>(report::keep_live_findings(place.recording, ended.findings).ok());
  return GangEnd{.status = ended.job.run.status(),
                 .was_hung = watch.was_hung(),
                 .was_asked = ended.job.run.interrupted_by.has_value() && !watch.was_hung(),
                 .ranks_recorded = ended.ranks_recorded,
                 .findings = std::move(ended.findings)};
}

Result<void> write_gang_end(const std::filesystem::path& path, const GangEnd& end) {
  model::Verdict verdict;
  verdict.findings = end.findings;
  const base::Json json = {{"status", end.status},
                           {"was_hung", end.was_hung},
                           {"was_asked", end.was_asked},
                           {"ranks_recorded", end.ranks_recorded},
                           {"findings", report::findings_as_json(verdict)}};
  return base::write_file(path, base::to_text(json, base::JsonLayout::kOneLine));
}

namespace {

constexpr std::size_t kLargestGangEnd = std::size_t{64} << 20;

GangEnd decode_gang_end(const base::Json& json) {
  GangEnd end{.status = json.at("status").get<int>(),
              .was_hung = json.at("was_hung").get<bool>(),
              .was_asked = json.at("was_asked").get<bool>(),
              .ranks_recorded = json.at("ranks_recorded").get<std::size_t>()};
  auto verdict = report::findings_from_json(decode_kept_findings(json.at("findings")), "end");
  if (verdict.ok()) end.findings = std::move(verdict.value().findings);
  return end;
}

}  // namespace

Result<std::optional<GangEnd>> read_gang_end(const std::filesystem::path& path) {
  return read_record<GangEnd>(path, kLargestGangEnd, decode_gang_end);
}

}  // namespace lockstep::service
