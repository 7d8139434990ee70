#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "cli/args.h"
#include "cli/live_findings.h"
#include "cli/preflight.h"
#include "cli/program_text.h"
#include "cli/run_notice.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "diagnose/diagnose.h"
#include "launch/recorder_environment.h"
#include "launch/recording_folder.h"
#include "launch/run_job.h"
#include "launch/testimony.h"
#include "process/environment.h"
#include "process/terminal_pair.h"
#include "record/recording.h"
#include "report/findings_json.h"
#include "report/text.h"
#include "witness/python_stacks.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;

// The recorder takes what it does not understand for not given, so it is checked here.
Result<void> check_record_size(const Args& args) {
  const auto size = args.value("max-record-size");
  if (!size) {
    if (!args.has("full")) return {};
    return Error{"'--full' says what happens at '--max-record-size'", "", "which is not given", "give both"};
  }
  const std::string digits = size->substr(0, size->find_first_of("KMG"));
  const auto number = base::number_in<std::uint32_t>(digits);
  const bool has_unit = size->size() == digits.size() + 1;
  if (number && *number > 0 && has_unit) return {};
  return Error{"wrong value for '--max-record-size'", *size, "not a size", "as 512M or 2G, at least 1M"};
}

process::Command command_from(const Args& args, const fs::path& recording, const launch::Installed& parts) {
  const launch::RecorderSettings settings{.folder = recording,
                                          .job = recording.filename().string(),
                                          .max_record_size = args.value("max-record-size"),
                                          .is_ring = !args.has("full"),
                                          .checksums = args.has("checksums"),
                                          .payload = args.has("payload"),
                                          .stack_signal = witness::kStackSignal};
  return {.argv = args.command,
          .environment = launch::with_recorder(process::own_environment(), parts, settings),
          .on_a_terminal = process::prints_on_a_terminal()};
}

bool ended_badly(const launch::WatchedEnd& end) {
  return end.job.run.status() != 0 || !end.findings.empty();
}

Result<model::Verdict> judge(const fs::path& recording, const launch::WatchedEnd& end) {
  diagnose::Diagnosis found = TRY(diagnose::diagnose_watched({recording}, end.findings));
  if (!end.job.log_is_whole) {
    found.verdict.limits.push_back("the job's output could not be kept whole: is the disk full?");
  }
  if (end.job.run.left_processes) {
    found.verdict.limits.push_back("processes that outlived the job's command were ended");
  }
  if (end.ranks_recorded == 0) {
    found.verdict.limits.push_back(
        "no rank was recorded: nothing of the job began to communicate by PyTorch, TensorFlow, Horovod, NCCL "
        "or MPI");
  }
  return std::move(found.verdict);
}

// "4 ranks (pytorch 2.13.0)"
std::string what_was_recorded(const launch::WatchedEnd& end) {
  const std::string ranks = end.ranks_recorded == 1 ? "1 rank" : fmt::format("{} ranks", end.ranks_recorded);
  return end.frameworks.empty() ? ranks : fmt::format("{} ({})", ranks, fmt::join(end.frameworks, ", "));
}

std::string how_it_ended(const process::RunEnd& end) {
  const double seconds = static_cast<double>(end.ran.count()) / 1000;
  if (end.ended_by_signal)
    return fmt::format("ended by signal {} after {:.1f} s", *end.ended_by_signal, seconds);
  return fmt::format("ended with status {} after {:.1f} s", end.exit_status, seconds);
}

Result<void> tell_verdict(const model::Verdict& verdict, const fs::path& recording,
                          const launch::WatchedEnd& end, Terminal& terminal) {
  TRY(base::write_file(recording / "findings.json", report::encode_findings(verdict)));
  terminal.tell(fmt::format("\nlockstep: the job {}\n\n", how_it_ended(end.job.run)));
  const report::TextStyle style{.colour = terminal.color_on_err(), .width = terminal.width()};
  terminal.tell(report::render_text(verdict, style));
  terminal.tell(fmt::format("\nlockstep: recording and findings.json in {}\n", recording.string()));
  return {};
}

bool wants_testimony(watch::Kind kind) {
  return kind == watch::Kind::kDecided || kind == watch::Kind::kLate || kind == watch::Kind::kHung;
}

void tell_trouble(const Error& error, Terminal& terminal) {
  terminal.tell(fmt::format("lockstep: {}: {}\n", error.what, error.why));
}

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  TRY(check_record_size(args));
  const launch::Installed parts = TRY(launch::find_installed());
  const fs::path recording = TRY(launch::make_recording_folder(args.value("out").value_or(""), args.command,
                                                               fmt::format("lockstep {}", version())));
  if (!args.value("out")) launch::link_latest(recording);

  const bool is_quiet = args.has("quiet");
  if (!is_quiet && !args.has("no-check")) terminal.tell(preflight(args.command));
  const bool ends_hangs = *args.value("on-hang") == "kill";
  const launch::TestimonyTaker testimony(recording, *args.value("on-hang") == "stacks");
  const Clock::time_point begin = Clock::now();
  const auto on_notice = [&](const watch::Notice& notice, watch::Watcher& watcher) {
    const auto after = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    if (!is_quiet) terminal.tell(notice_in_words(notice, after));
    if (wants_testimony(notice.kind)) {
      const auto taken = testimony.take(watcher.job(), notice.finding);
      if (!taken.ok() && !is_quiet) tell_trouble(taken.error(), terminal);
      watcher.judge_again();
    }
    if (const auto kept = keep_live_findings(recording, watcher.findings()); !kept.ok() && !is_quiet) {
      tell_trouble(kept.error(), terminal);
    }
    const bool is_hang = notice.kind == watch::Kind::kDecided || notice.kind == watch::Kind::kHung;
    if (!is_hang || !ends_hangs) return launch::Answer::kGoOn;
    terminal.tell("lockstep: ending the job (--on-hang=kill)\n");
    return launch::Answer::kEndJob;
  };
  auto ended = launch::run_job(command_from(args, recording, parts), recording, on_notice);
  if (!ended.ok()) {
    std::error_code ignored;
    fs::remove_all(recording, ignored);  // nothing ran
    return std::move(ended).error();
  }
  launch::WatchedEnd end = std::move(ended).value();
  launch::forget_what_passed(end);
  TRY(keep_live_findings(recording, end.findings));
  if (end.job.run.status() == 0) TRY(record::finish_recording(recording));
  const ExitStatus status{end.job.run.status()};
  if (is_quiet) return status;
  if (ended_badly(end)) {
    const model::Verdict verdict = TRY(judge(recording, end));
    TRY(tell_verdict(verdict, recording, end, terminal));
  } else {
    terminal.tell(fmt::format("lockstep: nothing wrong found; {} recorded in {}\n", what_was_recorded(end),
                              recording.string()));
  }
  return status;
}

constexpr std::string_view kAnswersToHangs[] = {"report", "stacks", "kill"};

constexpr Flag kFlags[] = {
    {.name = "out",
     .short_name = 'o',
     .value_name = "DIR",
     .help = "Record there, not in a new folder lockstep-TIME with a link lockstep-latest",
     .kind = ValueKind::kFolder},
    {.name = "on-hang",
     .value_name = "WHAT",
     .help = "When the job cannot go on: report it, take native stacks too (a debugger stops each rank for a "
             "moment), or "
             "end the job",
     .choices = kAnswersToHangs,
     .default_value = "report"},
    {.name = "max-record-size",
     .value_name = "SIZE",
     .help = "The most that each rank's record may take, as 512M; then the oldest events are overwritten"},
    {.name = "full", .help = "At that size keep the oldest events, and drop new ones"},
    {.name = "checksums",
     .help = "Sum what goes into and comes out of collectives, to find results that differ"},
    {.name = "payload",
     .help = "Keep what each rank receives as well, so that 'lockstep replay' can run any one rank alone"},
    {.name = "no-check", .help = "Do not look at the launch configuration first"},
    {.name = "quiet",
     .short_name = 'q',
     .help = "Only record: say nothing while the job runs, judge nothing at its end"},
};

constexpr std::string_view kDescription[] = {
    "Runs a job as it is, with the recorder in every rank, and watches the ranks of this host while it runs. "
    "What "
    "cannot get better is said at once: calls that do not fit together, ranks that wait for each other in a "
    "circle, a "
    "rank that is gone, has ended or is stopped while others wait for it. A rank that is late is named as "
    "soon as it "
    "is later than is usual in this job. When the job ends badly, the verdict follows, as 'lockstep "
    "diagnose' gives "
    "it, from the records, the output, and what was seen while it ran.",
    "The script is not changed and no root is needed. The job's output, results and exit status are its own; "
    "what "
    "Lockstep says goes to standard error. Any command will do: torchrun, mpirun, horovodrun, srun, python.",
    "Ctrl-C, SIGTERM and SIGHUP are passed on to the job; asked twice, it is killed. No process of it is "
    "left "
    "behind, not even when Lockstep itself is killed.",
    "Exit status: the job's own; 128 and the signal when a signal ended it; 2 when it could not be run.",
};

constexpr Example kExamples[] = {
    {"lockstep run -- torchrun --nproc-per-node 8 train.py", "Record and watch a job"},
    {"lockstep run --on-hang=kill -- mpirun -np 64 ./train", "Do not let a hang burn the night"},
    {"lockstep top", "Look at it from another terminal"},
};

}  // namespace

constinit const Verb kRunVerb{
    .name = "run",
    .one_line = "run a job, record it and watch it",
    .usage = "run [flags] -- CMD...",
    .description = kDescription,
    .examples = kExamples,
    .command = TakesCommand::kMust,
    .flags = kFlags,
    .globals = {.json = false, .color = true},
    .run = run,
};

}  // namespace lockstep::cli
