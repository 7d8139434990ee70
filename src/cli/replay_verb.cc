#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "cli/args.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "launch/recorder_environment.h"
#include "process/environment.h"
#include "process/foreground.h"
#include "record/recording.h"
#include "replay/extent.h"
#include "replay/judge.h"
#include "replay/solo_command.h"
#include "replay/stop.h"
#include "report/findings_json.h"
#include "report/text.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// Where the replay's own recording goes: where the user wants it, or a folder that goes with this object.
class ReplayFolder {
 public:
  static Result<ReplayFolder> make(const std::optional<std::string>& wanted) {
    ReplayFolder folder;
    if (wanted) {
      TRY(record::create_recording(*wanted,
                                   {.job = "replay", .writer = "", .command = {}, .world_size = {}}));
      folder.path_ = fs::absolute(*wanted);
      return folder;
    }
    std::error_code fault;
    std::string name = (fs::temp_directory_path(fault) / "lockstep-replay-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return base::error_from_errno("cannot make a folder", name);
    folder.path_ = name;
    folder.is_ours_ = true;
    return folder;
  }
  ReplayFolder(const ReplayFolder&) = delete;
  ReplayFolder& operator=(const ReplayFolder&) = delete;
  ReplayFolder(ReplayFolder&& other) noexcept
      : path_(std::move(other.path_)), is_ours_(std::exchange(other.is_ours_, false)) {}
  ReplayFolder& operator=(ReplayFolder&&) = delete;
  ~ReplayFolder() {
    std::error_code ignored;
    if (is_ours_) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  ReplayFolder() = default;
  fs::path path_;
  bool is_ours_ = false;
};

Result<int> rank_from(const Args& args) {
  const auto typed = args.value("rank");
  if (!typed)
    return Error{"which rank?", "", "'--rank' is not given", "as in 'lockstep replay RECORDING --rank 3'"};
  const auto rank = base::number_in<std::int32_t>(*typed);
  if (!rank || *rank < 0)
    return Error{"wrong value for '--rank'", *typed, "not a rank", "a whole number from 0"};
  return *rank;
}

// After how many steps the script resumes; 0: it begins anew.
Result<std::uint64_t> first_step(const Args& args, const record::Payload& rank, const replay::Job& job,
                                 Terminal& terminal) {
  const std::uint64_t begin = record::window_begin(rank);
  const auto checkpoint = replay::last_checkpoint(rank, job);
  if (const auto typed = args.value("from-step")) {
    const auto step = base::number_in<std::uint32_t>(*typed);
    if (step && *step >= begin) return std::uint64_t{*step};
    return Error{"wrong value for '--from-step'", *typed,
                 step ? fmt::format("the recording begins at the end of step {}", begin) : "not a step",
                 "the number of steps that had ended at the checkpoint from which the script resumes"};
  }
  if (begin == 0) return std::uint64_t{0};
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

// After how many steps it stops; 0: at its own end.
Result<std::uint64_t> last_step(const Args& args, std::uint64_t from) {
  const auto typed = args.value("to-step");
  if (!typed) return std::uint64_t{0};
  const auto step = base::number_in<std::uint32_t>(*typed);
  if (step && *step > from) return std::uint64_t{*step};
  return Error{"wrong value for '--to-step'", *typed,
               step ? fmt::format("the replay begins after step {}", from) : "not a step",
               "the number of the step after which the replay stops"};
}

// The terminal is this one's, whatever the recorded process had.
std::vector<std::string> environment_for(const record::PayloadProcess& process) {
  std::vector<std::string> environment = replay::recorded_environment(process);
  std::erase_if(environment, [](const std::string& entry) { return entry.starts_with("TERM="); });
  for (const std::string& entry : process::own_environment()) {
    if (entry.starts_with("TERM=")) environment.push_back(entry);
  }
  return environment;
}

int world_size_of(const record::Payload& rank, const replay::Job& job) {
  return rank.world_size > 0 ? rank.world_size : job.ranks.back().rank + 1;
}

// Whoever put a debugger in front may leave it at any time; what was changed on purpose may not end early.
bool may_end_early(const Args& args, int status, const std::optional<replay::Stop>& stop) {
  return status != 0 || stop || (!args.command.empty() && !args.has("what-if"));
}

void tell_equal(const replay::Judgement& judgement, Terminal& terminal) {
  if (!judgement.agreement.empty()) terminal.tell(fmt::format("lockstep: {}\n", judgement.agreement));
  for (const std::string& limit : judgement.verdict.limits)
    terminal.tell(fmt::format("lockstep: {}\n", limit));
}

void tell_difference(const Args& args, const model::Verdict& verdict, Terminal& terminal) {
  if (args.has("what-if")) terminal.tell("lockstep: the first thing that changes:\n");
  const report::TextStyle style{.colour = terminal.color_on_err(), .width = terminal.width()};
  terminal.tell("\n" + report::render_text(verdict, style));
}

// Found: 0; held nowhere: 1, or the program's own status when it failed.
Result<ExitStatus> tell_bisected(const Args& args, int status, const std::optional<replay::Stop>& stop,
                                 Terminal& terminal) {
  const std::string predicate = args.value("bisect").value_or("");
  if (stop && stop->why == replay::Stop::Why::kFailed) {
    return Error{"cannot ask", predicate, stop->error,
                 "a Python expression over 'parameters', a dictionary of tensors by name, and 'step'"};
  }
  if (stop && stop->why == replay::Stop::Why::kHolds) {
    terminal.tell(fmt::format("lockstep: it holds first at the end of step {}: {}\n", stop->step, predicate));
    return ExitStatus::kNothingFound;
  }
  terminal.tell(fmt::format("lockstep: it holds at the end of no step: {}\n", predicate));
  return status == 0 ? ExitStatus::kFindings : ExitStatus{status};
}

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  const int number = TRY(rank_from(args));
  std::error_code fault;
  const fs::path recording = fs::canonical(args.operands.front(), fault);
  if (fault)
    return Error{"cannot replay", args.operands.front(), fault.message(), "name the folder of a recording"};
  const replay::Job job = TRY(replay::open_job(recording));
  const record::Payload* const rank = replay::find_rank(job, number);
  if (rank == nullptr) {
    return Error{"cannot replay", recording.string(), fmt::format("rank {} left no payload", number),
                 fmt::format("ranks {} to {} did", job.ranks.front().rank, job.ranks.back().rank)};
  }
  if (!rank->process || rank->process->arguments.empty()) {
    return Error{"cannot replay", recording.string(), "how the rank was started is not in the recording", ""};
  }
  const launch::Installed parts = TRY(launch::find_installed());
  const ReplayFolder folder = TRY(ReplayFolder::make(args.value("out")));
  const int world_size = world_size_of(*rank, job);
  const std::uint64_t from = TRY(first_step(args, *rank, job, terminal));
  terminal.tell(fmt::format("lockstep: replaying rank {} of {}, {}\n", number, world_size,
                            replay::in_words(replay::extent_of(*rank, job))));
  const launch::ReplaySettings settings{.recording = recording,
                                        .rank = number,
                                        .world_size = world_size,
                                        .restart = rank->restart,
                                        .from_step = from,
                                        .to_step = TRY(last_step(args, from)),
                                        .predicate = args.value("bisect").value_or("")};
  const int status = TRY(process::run_in_foreground(
      replay::solo_command(*rank->process, args.command),
      launch::with_replay(environment_for(*rank->process), parts, folder.path(), settings),
      rank->process->folder));

  const auto stop = replay::read_stop(folder.path());
  const record::Payload recorded = from == 0 ? *rank : replay::from_step(*rank, from);
  const replay::Judgement judgement = replay::judge(
      recorded,
      {.recording = recording, .folder = folder.path(), .may_end_early = may_end_early(args, status, stop)});
  const model::Verdict& verdict = judgement.verdict;
  TRY(base::write_file(folder.path() / "findings.json", report::encode_findings(verdict)));
  if (verdict.findings.empty()) {
    tell_equal(judgement, terminal);
  } else {
    tell_difference(args, verdict, terminal);
  }
  if (args.has("bisect")) return tell_bisected(args, status, stop, terminal);
  if (args.has("to-step") && !stop) terminal.tell("lockstep: the replay came to its end before that step\n");
  return status == 0 && !verdict.findings.empty() && !args.has("what-if") ? ExitStatus::kFindings
                                                                          : ExitStatus{status};
}

constexpr Flag kFlags[] = {
    {.name = "rank", .short_name = 'r', .value_name = "RANK", .help = "The rank to run"},
    {.name = "what-if",
     .help =
         "Something was changed on purpose: say what changes first, and end with the program's own status"},
    {.name = "from-step",
     .value_name = "STEP",
     .help = "The script resumes from its checkpoint after so many steps, not from the start"},
    {.name = "to-step", .value_name = "STEP", .help = "Stop after that step"},
    {.name = "bisect",
     .value_name = "PREDICATE",
     .help = "Find the first step at whose end a Python expression over 'parameters' and 'step' holds"},
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
