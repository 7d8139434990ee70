#include <filesystem>

#include <fmt/format.h>

#include "base/process/environment.h"
#include "base/process/terminal_pair.h"
#include "base/text_fields.h"
#include "check/check.h"
#include "cli/args.h"
#include "cli/program_text.h"
#include "cli/run_conclusion.h"
#include "cli/run_session.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "record/recording.h"
#include "report/live_findings.h"
#include "run/evidence/python_stacks.h"
#include "run/supervise/interruption.h"
#include "run/supervise/join_hosts.h"
#include "run/supervise/recorder_environment.h"
#include "run/supervise/recording_folder.h"
#include "run/supervise/run_job.h"

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

// How many steps '--payload-last' keeps.
Result<std::optional<std::uint32_t>> payload_steps(const Args& args) {
  const auto typed = args.value("payload-last");
  if (!typed) return std::optional<std::uint32_t>();
  if (args.has("payload-since-checkpoint")) {
    return Error{"'--payload-last' and '--payload-since-checkpoint' exclude each other", "", "", "give one"};
  }
  const auto steps = base::number_in<std::uint32_t>(*typed);
  if (steps && *steps > 0) return std::optional(*steps);
  return Error{"wrong value for '--payload-last'", *typed, "not a number of steps", "a whole number from 1"};
}

process::Command command_from(const Args& args, const fs::path& recording, const supervise::Installed& parts,
                              std::optional<std::uint32_t> payload_steps) {
  const bool since_checkpoint = args.has("payload-since-checkpoint");
  const supervise::RecorderSettings settings{
      .folder = recording,
      .job = recording.filename().string(),
      .max_record_size = args.value("max-record-size"),
      .is_ring = !args.has("full"),
      .checksums = args.has("checksums"),
      .payload = args.has("payload") || payload_steps || since_checkpoint,
      .payload_steps = payload_steps,
      .payload_since_checkpoint = since_checkpoint,
      .stack_signal = evidence::kStackSignal};
  return {.argv = args.command,
          .environment = supervise::with_recorder(process::own_environment(), parts, settings),
          .on_a_terminal = process::prints_on_a_terminal()};
}

// The other hosts of the job; said when they cannot be found, since this one is then watched alone.
Result<std::optional<supervise::HostsRequest>> find_hosts(const Args& args, Terminal& terminal) {
  if (args.has("alone")) return std::optional<supervise::HostsRequest>();
  std::optional<multihost::HostPort> head;
  if (const auto given = args.value("head")) head = TRY(multihost::parse_host_port(*given));
  multihost::TokenSource token{.file = {}, .environment = process::own_environment()};
  if (const auto file = args.value("token-file")) {
    token.file = *file;
    TRY(multihost::find_token(token));
  }
  auto found = supervise::find_hosts({.command = args.command, .environment = token.environment}, head, token,
                                     fmt::format("lockstep {}", version()));
  if (!found) return std::optional<supervise::HostsRequest>();
  if (found->ok()) return std::optional(std::move(*found).value());
  const Error& error = found->error();
  if (!args.has("quiet"))
    terminal.tell(fmt::format("lockstep: {}: {}; {}\n", error.what, error.why, error.hint));
  return std::optional<supervise::HostsRequest>();
}

Result<fs::path> make_folder(const Args& args, const std::optional<supervise::HostsRequest>& hosts) {
  const std::string suffix = hosts ? supervise::recording_suffix(hosts->place) : "";
  fs::path folder = TRY(supervise::make_recording_folder(args.value("out").value_or(""), suffix, args.command,
                                                         fmt::format("lockstep {}", version())));
  if (!args.value("out") && suffix.empty()) supervise::link_latest(folder);
  return folder;
}

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  TRY(check_record_size(args));
  const std::optional<std::uint32_t> steps = TRY(payload_steps(args));
  const supervise::Installed parts = TRY(supervise::find_installed());
  const std::optional<supervise::HostsRequest> hosts = TRY(find_hosts(args, terminal));
  const fs::path recording = TRY(make_folder(args, hosts));

  const bool is_quiet = args.has("quiet");
  if (!is_quiet && !args.has("no-check")) terminal.tell(check::preflight(args.command));
  RunSession session(recording,
                     {.is_quiet = is_quiet,
                      .ends_hangs = *args.value("on-hang") == "kill",
                      .wants_native_stacks = *args.value("on-hang") == "stacks"},
                     terminal);
  auto ended =
      supervise::run_job(command_from(args, recording, parts, steps), recording, hosts, session.listener());
  if (!ended.ok()) {
    std::error_code ignored;
    fs::remove_all(recording, ignored);  // nothing ran
    return std::move(ended).error();
  }
  supervise::WatchedEnd end = std::move(ended).value();
  session.adopt_head_findings(end);
  supervise::forget_what_passed(end);
  supervise::tell_interruption(end);
  TRY(report::keep_live_findings(recording, end.findings));
  if (end.job.run.status() == 0) TRY(record::finish_recording(recording));
  const ExitStatus status{end.job.run.status()};
  if (is_quiet) return status;
  TRY(conclude_run(recording, end, session, terminal));
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
    {.name = "payload-last",
     .value_name = "STEPS",
     .help =
         "Payload of the last so many steps only, to bound its size on the disk: a replay's script resumes "
         "from a checkpoint of its own"},
    {.name = "payload-since-checkpoint",
     .help = "Payload since the job's last two checkpoints only (torch.save, torch.distributed.checkpoint)"},
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
    "is later than is usual in this job. When the job ends badly, or well but with something wrong in what "
    "was "
    "recorded, the verdict follows, as 'lockstep diagnose' gives it, from the records, the output, and what "
    "was seen "
    "while it ran.",
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
