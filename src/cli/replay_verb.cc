#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/descriptor.h"
#include "cli/args.h"
#include "cli/replay_bisect.h"
#include "cli/replay_end.h"
#include "cli/replay_request.h"
#include "cli/replay_subject.h"
#include "cli/replay_travel.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// After how many steps the script resumes; 0: it begins anew.
Result<std::uint64_t> first_step(const ReplayRequest& request, const ReplaySubject& subject,
                                 Terminal& terminal) {
  const std::uint64_t begin = record::window_begin(subject.rank());
  if (request.from_step) {
    if (*request.from_step >= begin) return *request.from_step;
    return Error{"wrong value for '--from-step'", std::to_string(*request.from_step),
                 fmt::format("the recording begins at the end of step {}", begin),
                 "the number of steps that had ended at the checkpoint from which the script resumes"};
  }
  if (begin == 0) return std::uint64_t{0};
  const auto checkpoint = replay::last_checkpoint(subject.rank(), subject.job);
  if (!checkpoint) {
    return Error{
        "cannot replay from the start", "",
        fmt::format("what came before the end of step {} was not kept, and the job saved no "
                    "checkpoint since",
                    begin),
        "give '--from-step STEP' and, behind '--', a command that goes on with the job's state after it"};
  }
  terminal.tell(fmt::format("lockstep: the script must resume from what the job saved after step {}: {}\n",
                            checkpoint->step, checkpoint->path));
  return checkpoint->step;
}

Result<ExitStatus> replay_from_start(const ReplaySubject& subject, const ReplayRequest& request,
                                     Terminal& terminal) {
  const ReplayFolder folder = TRY(ReplayFolder::make(request.out));
  const std::uint64_t from = TRY(first_step(request, subject, terminal));
  terminal.tell(fmt::format("lockstep: replaying rank {} of {}, {}\n", subject.number, subject.world_size,
                            replay::in_words(replay::extent_of(subject.rank(), subject.job))));
  const bool bisects_later = request.bisects() && request.image_every != 0;
  const replay::Orders orders{.image_every = request.image_every,
                              .to_step = request.to_step.value_or(0),
                              .predicate = bisects_later ? "" : request.predicate,
                              .break_at = request.break_at ? replay::for_recorder(*request.break_at) : ""};
  const int status = TRY(run_from_start(subject, request, from, orders, folder.path(), terminal));
  const ExitStatus end = TRY(
      conclude_replay(subject, request, {.status = status, .from = from, .folder = folder.path()}, terminal));
  if (request.image_every != 0 && !fs::exists(folder.path() / "images")) {
    terminal.tell("lockstep: there are no images: no step of the program was seen to end\n");
  }
  if (bisects_later) {
    const auto images = images_for(subject, folder.path());
    return bisect_by_partial_replays(
        subject, request, images.ok() ? images.value() : std::vector<checkpoint::Image>(), terminal);
  }
  if (!request.bisects()) return end;
  return tell_where_it_holds(request, status, replay::read_stop(folder.path()), terminal);
}

// Bytes for a file of the copy, as they come.
Result<std::function<void(std::string_view)>> into_file(const fs::path& path) {
  const auto file =
      std::make_shared<process::Descriptor>(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file->is_open()) return base::error_from_errno("cannot write", path);
  return std::function<void(std::string_view)>(
      [file](std::string_view bytes) { (void)base::write_all(file->get(), bytes); });
}

Restored restored_from(const checkpoint::Image& image, const ReplayRequest& request, const fs::path& folder) {
  return {.image = image,
          .folder = folder,
          .orders = {.to_step = request.to_step.value_or(0),
                     .patch = request.patch,
                     .break_at = request.break_at ? replay::for_recorder(*request.break_at) : ""},
          .on_out = into_stream(STDOUT_FILENO),
          .on_err = into_stream(STDERR_FILENO)};
}

// Each in a folder of its own, with a file for what it prints.
Result<std::vector<Restored>> copies_of(const checkpoint::Image& image, const ReplayRequest& request,
                                        const fs::path& folder) {
  if (request.copies == 0) return std::vector<Restored>{restored_from(image, request, folder)};
  std::vector<Restored> copies;
  for (int number = 1; number <= request.copies; ++number) {
    const fs::path own = folder / fmt::format("copy_{}", number);
    std::error_code fault;
    fs::create_directory(own, fault);
    Restored copy = restored_from(image, request, own);
    copy.orders.copy = number;
    copy.who = fmt::format("copy {}: ", number);
    copy.on_out = copy.on_err = TRY(into_file(own / "output.txt"));
    copies.push_back(std::move(copy));
  }
  return copies;
}

Result<ExitStatus> replay_from_image(const ReplaySubject& subject, const ReplayRequest& request,
                                     Terminal& terminal) {
  const std::vector<checkpoint::Image> images = TRY(images_for(subject, *request.images));
  const std::uint64_t step = step_to_restore(request).value_or(0);
  const auto image = checkpoint::nearest_image(images, step);
  if (!image) {
    return Error{"no image to restore", request.images->string(),
                 fmt::format("the first one is of step {}", images.front().facts.step),
                 "go to that step or a later one, or leave '--images' away"};
  }
  const checkpoint::Criu criu = TRY(checkpoint::Criu::find());
  const ReplayFolder folder = TRY(ReplayFolder::make(request.out));
  const auto begin = fs::file_time_type::clock::now();
  const std::vector<Restored> copies = TRY(copies_of(*image, request, folder.path()));
  const std::vector<Result<int>> ends = run_restored(criu, copies, request, terminal);
  ExitStatus worst = ExitStatus::kNothingFound;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const int status = TRY(Result<int>(ends[i]));
    if (const auto seconds = replay::seconds_until_stop(copies[i].folder, begin)) {
      terminal.tell(fmt::format("lockstep: {}at the end of step {} after {:.2f} s\n", copies[i].who,
                                request.to_step.value_or(0), *seconds));
    }
    const ExitStatus end = TRY(conclude_replay(
        subject, request, {.status = status, .folder = copies[i].folder, .who = copies[i].who}, terminal));
    worst = std::max(worst, end);
  }
  return worst;
}

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  const ReplayRequest request = TRY(replay_request_from(args));
  const ReplaySubject subject = TRY(find_replay_subject(args.operands.front(), request.rank));
  TRY(check_has_steps(subject, request));
  if (request.bisects() && request.images)
    return bisect_by_partial_replays(subject, request, TRY(images_for(subject, *request.images)), terminal);
  if (request.images) return replay_from_image(subject, request, terminal);
  if (!request.bisect_command.empty() && request.image_every == 0)
    return bisect_by_partial_replays(subject, request, {}, terminal);
  return replay_from_start(subject, request, terminal);
}

constexpr Flag kFlags[] = {
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

constexpr std::string_view kDescription[] = {
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

constexpr Example kExamples[] = {
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

constinit const Verb kReplayVerb{
    .name = "replay",
    .one_line = "run one rank of a recorded job again, alone",
    .usage = "replay RECORDING --rank=RANK [flags] [-- CMD...]",
    .description = kDescription,
    .examples = kExamples,
    .operands = {.name = "RECORDING",
                 .min = 1,
                 .max = 1,
                 .help = "The folder that 'lockstep run --payload' made",
                 .kind = ValueKind::kFolder},
    .command = TakesCommand::kMay,
    .flags = kFlags,
    .globals = {.json = false, .color = true},
    .run = run,
};

}  // namespace lockstep::cli
