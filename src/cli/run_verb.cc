#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/text_fields.h"
#include "cli/args.h"
#include "cli/live_findings.h"
#include "cli/preflight.h"
#include "cli/program_text.h"
#include "cli/run_session.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "diagnose/diagnose.h"
#include "launch/join_hosts.h"
#include "launch/recorder_environment.h"
#include "launch/recording_folder.h"
#include "launch/run_job.h"
#include "process/environment.h"
#include "process/terminal_pair.h"
#include "record/recording.h"
#include "report/findings_json.h"
#include "report/text.h"
#include "witness/python_stacks.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

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

// "4 ranks of 2 hosts (pytorch 2.13.0)"
std::string what_was_recorded(const launch::WatchedEnd& end) {
  std::string ranks = end.ranks_recorded == 1 ? "1 rank" : fmt::format("{} ranks", end.ranks_recorded);
  const bool is_head = end.link && end.link->judges_here();
  if (is_head && end.link->other_hosts() != 0) {
    ranks += fmt::format(" of {} watchers", end.link->other_hosts() + 1);
  }
  return end.frameworks.empty() ? ranks : fmt::format("{} ({})", ranks, fmt::join(end.frameworks, ", "));
}

std::string how_it_ended(const process::RunEnd& end) {
  const double seconds = static_cast<double>(end.ran.count()) / 1000;
  if (end.ended_by_signal)
    return fmt::format("ended by signal {} after {:.1f} s", *end.ended_by_signal, seconds);
  return fmt::format("ended with status {} after {:.1f} s", end.exit_status, seconds);
}

Result<void> tell_verdict(const model::Verdict& verdict, const fs::path& recording,
                          const launch::WatchedEnd& end, const std::string& by_host, Terminal& terminal) {
  TRY(base::write_file(recording / "findings.json", report::encode_findings(verdict)));
  const std::string by = by_host.empty() ? "" : fmt::format("; the verdict of {} on all hosts:", by_host);
  terminal.tell(fmt::format("\nlockstep: the job {}{}\n\n", how_it_ended(end.job.run), by));
  const report::TextStyle style{.colour = terminal.color_on_err(), .width = terminal.width()};
  terminal.tell(report::render_text(verdict, style));
  terminal.tell(fmt::format("\nlockstep: recording and findings.json in {}\n", recording.string()));
  return {};
}

// The head has seen all hosts; what it says counts where it says something.
Result<void> conclude_badly(const fs::path& recording, launch::WatchedEnd& end, RunSession& session,
                            Terminal& terminal) {
  if (end.link && !end.link->judges_here()) {
    if (const auto by_head = session.verdict_of_head(*end.link)) {
      const auto verdict = report::decode_findings(by_head->findings, "the head's verdict");
      if (verdict.ok() && !verdict.value().findings.empty()) {
        TRY(keep_live_findings(recording, verdict.value().findings));
        return tell_verdict(verdict.value(), recording, end, base::escape_for_terminal(session.head()),
                            terminal);
      }
    }
  }
  model::Verdict verdict = TRY(judge(recording, end));
  verdict.limits.insert(verdict.limits.end(), session.limits().begin(), session.limits().end());
  if (end.link) {
    end.link->tell(
        hosts::HeadVerdict{.recording = recording.string(), .findings = report::encode_findings(verdict)});
  }
  return tell_verdict(verdict, recording, end, "", terminal);
}

void conclude_well(const fs::path& recording, const launch::WatchedEnd& end, const RunSession& session,
                   Terminal& terminal) {
  if (end.link) end.link->tell(hosts::HeadVerdict{.recording = recording.string(), .findings = {}});
  const std::string elsewhere =
      session.head().empty()
          ? ""
          : fmt::format("; {} has those of all hosts", base::escape_for_terminal(session.head()));
  terminal.tell(fmt::format("lockstep: nothing wrong found; {} recorded in {}{}\n", what_was_recorded(end),
                            recording.string(), elsewhere));
}

// The other hosts of the job; said when they cannot be found, since this one is then watched alone.
Result<std::optional<launch::HostsRequest>> find_hosts(const Args& args, Terminal& terminal) {
  if (args.has("alone")) return std::optional<launch::HostsRequest>();
  std::optional<hosts::HostPort> head;
  if (const auto given = args.value("head")) head = TRY(hosts::parse_host_port(*given));
  hosts::TokenSource token{.file = {}, .environment = process::own_environment()};
  if (const auto file = args.value("token-file")) {
    token.file = *file;
    TRY(hosts::find_token(token));
  }
  auto found = launch::find_hosts({.command = args.command, .environment = token.environment}, head, token,
                                  fmt::format("lockstep {}", version()));
  if (!found) return std::optional<launch::HostsRequest>();
  if (found->ok()) return std::optional(std::move(*found).value());
  const Error& error = found->error();
  if (!args.has("quiet"))
    terminal.tell(fmt::format("lockstep: {}: {}; {}\n", error.what, error.why, error.hint));
  return std::optional<launch::HostsRequest>();
}

Result<fs::path> make_folder(const Args& args, const std::optional<launch::HostsRequest>& hosts) {
  const std::string suffix = hosts ? launch::recording_suffix(hosts->place) : "";
  fs::path folder = TRY(launch::make_recording_folder(args.value("out").value_or(""), suffix, args.command,
                                                      fmt::format("lockstep {}", version())));
  if (!args.value("out") && suffix.empty()) launch::link_latest(folder);
  return folder;
}

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  TRY(check_record_size(args));
  const launch::Installed parts = TRY(launch::find_installed());
  const std::optional<launch::HostsRequest> hosts = TRY(find_hosts(args, terminal));
  const fs::path recording = TRY(make_folder(args, hosts));

  const bool is_quiet = args.has("quiet");
  if (!is_quiet && !args.has("no-check")) terminal.tell(preflight(args.command));
  RunSession session(recording,
                     {.is_quiet = is_quiet,
                      .ends_hangs = *args.value("on-hang") == "kill",
                      .wants_native_stacks = *args.value("on-hang") == "stacks"},
                     terminal);
  auto ended = launch::run_job(command_from(args, recording, parts), recording, hosts, session.listener());
  if (!ended.ok()) {
    std::error_code ignored;
    fs::remove_all(recording, ignored);  // nothing ran
    return std::move(ended).error();
  }
  launch::WatchedEnd end = std::move(ended).value();
  session.adopt_head_findings(end);
  launch::forget_what_passed(end);
  TRY(keep_live_findings(recording, end.findings));
  if (end.job.run.status() == 0) TRY(record::finish_recording(recording));
  const ExitStatus status{end.job.run.status()};
  if (is_quiet) return status;
  if (ended_badly(end)) {
    TRY(conclude_badly(recording, end, session, terminal));
  } else {
    conclude_well(recording, end, session, terminal);
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
    {.name = "head",
     .value_name = "HOST:PORT",
     .help = "Where the watchers of the job's hosts join, when the launcher does not tell it"},
    {.name = "token-file",
     .value_name = "FILE",
     .help = "The secret that proves the job's hosts to each other, not LOCKSTEP_TOKEN or "
             "~/.config/lockstep/token",
     .kind = ValueKind::kFile},
    {.name = "alone", .help = "Watch the ranks of this host alone, also when the job has more hosts"},
    {.name = "quiet",
     .short_name = 'q',
     .help = "Only record: say nothing while the job runs, judge nothing at its end"},
};

constexpr std::string_view kDescription[] = {
    "Runs a job as it is, with the recorder in every rank, and watches the ranks while it runs. "
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
    "A job of several hosts is run by it on each, as its launcher is: the first host judges the ranks of all "
    "of "
    "them, and every one says what it found. Launchers that start ranks themselves start it for each: "
    "'mpirun "
    "lockstep run -- CMD'.",
    "Ctrl-C, SIGTERM and SIGHUP are passed on to the job; asked twice, it is killed. No process of it is "
    "left "
    "behind, not even when Lockstep itself is killed.",
    "Exit status: the job's own; 128 and the signal when a signal ended it; 2 when it could not be run.",
};

constexpr Example kExamples[] = {
    {"lockstep run -- torchrun --nproc-per-node 8 train.py", "Record and watch a job"},
    {"lockstep run --on-hang=kill -- mpirun -np 64 ./train", "Do not let a hang burn the night"},
    {"lockstep run -- torchrun --nnodes 2 --node-rank 1 --master-addr node0 train.py",
     "On the second of two hosts; with --node-rank 0 on the first"},
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
