#include "cli/replay_verb.h"

#include <filesystem>
#include <unistd.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "replay/replay.h"
#include "report/format.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

Result<int> rank_from(const Args& args) {
  const auto typed = args.value("rank");
  if (!typed)
    return Error{"which rank?", "", "'--rank' is not given", "as in 'lockstep replay RECORDING --rank 3'"};
  const auto rank = base::number_in<std::int32_t>(*typed);
  if (!rank || *rank < 0)
    return Error{"wrong value for '--rank'", *typed, "not a rank", "a whole number from 0"};
  return *rank;
}

Result<std::optional<std::uint64_t>> number_of(const Args& args, const std::string& flag, std::uint64_t least,
                                               const std::string& what, const std::string& hint) {
  const auto typed = args.value(flag);
  if (!typed) return std::optional<std::uint64_t>();
  const auto number = base::number_in<std::uint32_t>(*typed);
  if (number && *number >= least) return std::optional<std::uint64_t>(*number);
  return Error{"wrong value for '--" + flag + "'", *typed, "not " + what, hint};
}

Result<fs::path> patch_from(const Args& args) {
  const auto typed = args.value("patch");
  if (!typed) return fs::path();
  std::error_code fault;
  const fs::path patch = fs::canonical(*typed, fault);
  if (fault) return Error{"cannot read the patch", *typed, fault.message(), "a file with Python in it"};
  return patch;
}

std::function<void(std::string_view)> into_stream(int stream) {
  return [stream](std::string_view bytes) { (void)base::write_all(stream, bytes); };
}

replay::Output output_to(Terminal& terminal) {
  return {
      .tell = [&terminal](std::string_view text) { terminal.tell(text); },
      .show_verdict =
          [&terminal](const model::Verdict& verdict) {
            terminal.tell(report::render_text(
                verdict, {.colour = terminal.color_on_err(), .width = terminal.width(), .details = true}));
          },
      .on_out = into_stream(STDOUT_FILENO),
      .on_err = into_stream(STDERR_FILENO)};
}

Result<ExitStatus> run_replay(const Args& args, Terminal& terminal) {
  const replay::Request request = TRY(replay_request_from(args));
  return ExitStatus{TRY(replay::replay_rank(request, output_to(terminal)))};
}

constexpr Flag kReplayFlags[] = {
    {.name = "rank", .short_name = 'r', .value_name = "RANK", .help = "The rank to run"},
    {.name = "what-if",
     .help =
         "Something was changed on purpose: say what changes first, and end with the program's own status"},
    {.name = "from-step",
     .value_name = "STEP",
     .help = "Begin after so many steps: at the nearest image before, or where the script resumes from its "
             "checkpoint"},
    {.name = "to-step", .value_name = "STEP", .help = "Stop after that step"},
    {.name = "bisect",
     .value_name = "PREDICATE",
     .help = "Find the first step at whose end a Python expression over 'parameters' and 'step' holds"},
    {.name = "bisect-command",
     .value_name = "COMMAND",
     .help = "The same for the first step at whose end a command of the shell fails; LOCKSTEP_PARAMETERS "
             "names a file"},
    {.name = "checkpoint-every",
     .value_name = "STEPS",
     .help = "Freeze the process into an image at the end of every so many steps"},
    {.name = "images",
     .value_name = "DIR",
     .help = "Begin with an image that a replay with '-o DIR' took",
     .kind = ValueKind::kFolder},
    {.name = "break-at",
     .value_name = "STEP:COLLECTIVE",
     .help = "Stand still before that collective, for a debugger: 12:all_reduce, 12:all_reduce#17"},
    {.name = "fork",
     .value_name = "COPIES",
     .help = "So many copies of one image at once, each with its own output"},
    {.name = "patch",
     .value_name = "FILE",
     .help = "Python to run when a process goes on from its image; knows 'copy', 'step' and 'parameters'",
     .kind = ValueKind::kFile},
    {.name = "out",
     .short_name = 'o',
     .value_name = "DIR",
     .help = "Keep the replay's own recording and findings.json there",
     .kind = ValueKind::kFolder},
};

constexpr std::string_view kReplayDescription[] = {
    "Runs one rank of a recorded job again, alone: the recorded command with its environment and folder, as "
    "that rank "
    "of a job of the recorded size. No other process runs and no network is used; what collectives, sends "
    "and receives "
    "gave back comes from the recording, which 'lockstep run --payload' made.",
    "Everything the rank gives to a collective, and its parameters and optimizer state after each step, is "
    "compared "
    "with the recording by hashes. The first difference is a finding: step, call, tensors, stack, and what "
    "differs "
    "between the two processes. Recorded results overwrite what differs, so a run may end equal after all; "
    "that is "
    "said too.",
    "With a command behind '--' that is a debugger or tracer (gdb --args, strace -f, valgrind) the recorded "
    "command is "
    "put behind it; 'python -m pdb' and other modules get the recorded script and its arguments; any other "
    "command is "
    "run as it stands, as that rank.",
    "With '--checkpoint-every' the process is frozen now and then into images, which need CRIU 4.1 or "
    "later (in PATH, or named by LOCKSTEP_CRIU) and the rights of root; without them it says why and goes "
    "on. '--images' begins with the nearest image at or before the wanted step instead of the start, as "
    "often as one likes.",
    "A recording that was cut, by kill -9 or a full disk, is replayed as far as it goes; then the call whose "
    "result is "
    "missing raises an error that says so.",
    "Exit status: that of the program; 1 when it ended well and differs from the recording; 2 when it could "
    "not be run.",
};

constexpr Example kReplayExamples[] = {
    {"lockstep run --payload -- torchrun --nproc-per-node 8 train.py", "Record what ranks receive"},
    {"lockstep replay lockstep-latest --rank 3", "Run rank 3 again, alone"},
    {"lockstep replay lockstep-latest --rank 3 -- python -m pdb", "The same in a debugger"},
    {"lockstep replay rec -r 3 --bisect 'parameters[\"0.bias\"].isnan().any()'",
     "When did a weight become NaN?"},
    {"lockstep replay rec -r 3 --checkpoint-every 100 -o a", "Take an image every 100 steps"},
    {"lockstep replay rec -r 3 --images a --break-at 640:all_reduce", "Go to a collective of step 640"},
    {"lockstep replay rec -r 3 --images a --from-step 600 --fork 4 --patch x.py -o b",
     "Try four changes at once"},
    {"lockstep replay lockstep-latest --rank 3 --what-if -- python train_fixed.py",
     "Which collective does a change of the script change first?"},
};

}  // namespace

Result<replay::Request> replay_request_from(const Args& args) {
  replay::Request request;
  request.recording = args.operands.front();
  request.rank = TRY(rank_from(args));
  request.from_step =
      TRY(number_of(args, "from-step", 0, "a step",
                    "the number of steps that had ended: at an image, or at the checkpoint from which the "
                    "script resumes"));
  request.to_step =
      TRY(number_of(args, "to-step", 1, "a step", "the number of the step after which the replay stops"));
  if (const auto typed = args.value("images")) request.images = *typed;
  const std::uint64_t least = request.from_step.value_or(0) + (request.images ? 0 : 1);
  if (request.to_step && *request.to_step < least) {
    return Error{"wrong value for '--to-step'", std::to_string(*request.to_step),
                 "the replay begins after step " + std::to_string(request.from_step.value_or(0)),
                 "a later step"};
  }
  if (const auto typed = args.value("break-at")) request.break_at = TRY(replay::parse_breakpoint(*typed));
  request.predicate = args.value("bisect").value_or("");
  request.bisect_command = args.value("bisect-command").value_or("");
  request.image_every =
      TRY(number_of(args, "checkpoint-every", 1, "a number of steps", "as in '--checkpoint-every 10'"))
          .value_or(0);
  request.copies =
      static_cast<int>(TRY(number_of(args, "fork", 1, "a number of copies", "as in '--fork 4'")).value_or(0));
  request.patch = TRY(patch_from(args));
  request.has_changes = args.has("what-if") || !request.patch.empty();
  request.out = args.value("out");
  request.command = args.command;
  TRY(replay::check(request));
  return request;
}

constinit const Verb kReplayVerb{
    .name = "replay",
    .one_line = "run one rank of a recorded job again, alone",
    .usage = "replay RECORDING --rank=RANK [flags] [CMD...]",
    .group = VerbGroup::kDeeper,
    .description = kReplayDescription,
    .examples = kReplayExamples,
    .operands = {.name = "RECORDING",
                 .min = 1,
                 .max = 1,
                 .help = "The folder that 'lockstep run --payload' made",
                 .kind = ValueKind::kFolder},
    .command = TakesCommand::kMay,
    .begins_command = [](std::string_view, std::size_t operands) { return operands == 1; },
    .flags = kReplayFlags,
    .globals = {.json = false, .color = true},
    .run = run_replay,
};

}  // namespace lockstep::cli
