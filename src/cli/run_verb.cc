#include <fmt/format.h>

#include "base/process/environment.h"
#include "base/process/foreground.h"
#include "base/process/spawn.h"
#include "base/text_fields.h"
#include "check/check.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "report/format.h"
#include "run/run.h"

namespace lockstep::cli {
namespace {

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

Result<run::Request> request_from(const Args& args) {
  TRY(check_record_size(args));
  const std::optional<std::uint32_t> steps = TRY(payload_steps(args));
  const bool since_checkpoint = args.has("payload-since-checkpoint");
  return run::Request{.command = args.command,
                      .out = args.value("out"),
                      .recorder = {.folder = {},
                                   .job = {},
                                   .max_record_size = args.value("max-record-size"),
                                   .is_ring = !args.has("full"),
                                   .checksums = args.has("checksums"),
                                   .payload = args.has("payload") || steps || since_checkpoint,
                                   .payload_steps = steps,
                                   .payload_since_checkpoint = since_checkpoint},
                      .session = {.is_quiet = args.has("quiet"),
                                  .ends_hangs = *args.value("on-hang") == "kill",
                                  .wants_native_stacks = *args.value("on-hang") == "stacks"},
                      .is_alone = args.has("alone"),
                      .head = args.value("head"),
                      .token_file = args.value("token-file"),
                      .version = fmt::format("lockstep {}", version())};
}

const std::string kShowDetails = "lockstep diagnose --details ";

Result<ExitStatus> run_run(const Args& args, Terminal& terminal) {
  const run::Request request = TRY(request_from(args));
  const bool checks = !args.has("quiet") && !args.has("no-check");
  const run::Output output{
      .before_start =
          [&] {
            if (checks) terminal.tell(check::preflight(args.command));
          },
      .tell = [&](std::string_view text) { terminal.tell(text); },
      .show_verdict =
          [&](const model::Verdict& verdict) {
            const std::string recording = args.value("out").value_or("lockstep-latest");
            terminal.tell(report::render_text(
                verdict, {.colour = terminal.color_on_err(),
                          .width = terminal.width(),
                          .details_command = kShowDetails + process::typed_in_a_shell({recording})}));
          }};
  return ExitStatus{TRY(run::run_recorded(request, output))};
}

constexpr std::string_view kAnswersToHangs[] = {"report", "stacks", "kill"};

constexpr Flag kRunFlags[] = {
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

constexpr std::string_view kRunDescription[] = {
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
    "lockstep run CMD'.",
    "Every signal is passed on to the job; asked twice by Ctrl-C, SIGTERM or SIGHUP, it is killed. No "
    "process "
    "of it is "
    "left "
    "behind, not even when Lockstep itself is killed.",
    "Exit status: the job's own; 128 and the signal when a signal ended it; 2 when it could not be run.",
};

constexpr Example kRunExamples[] = {
    {"lockstep run torchrun --nproc-per-node 8 train.py", "Record and watch a job"},
    {"lockstep run --on-hang=kill mpirun -np 64 ./train",
     "Do not let a hang burn the night: end the job when it hangs"},
    {"lockstep run torchrun --nnodes 2 --node-rank 1 --master-addr node0 train.py",
     "On the second of two hosts; with --node-rank 0 on the first"},
    {"lockstep top", "Look at it from another terminal"},
};

}  // namespace

constinit const Verb kRunVerb{
    .name = "run",
    .one_line = "run a job, record it and watch it",
    .usage = "run [flags] CMD...",
    .group = VerbGroup::kStart,
    .description = kRunDescription,
    .examples = kRunExamples,
    .command = TakesCommand::kMust,
    .begins_command = [](std::string_view, std::size_t) { return true; },
    .flags = kRunFlags,
    .globals = {.json = false, .color = true},
    .run = run_run,
};

}  // namespace lockstep::cli
