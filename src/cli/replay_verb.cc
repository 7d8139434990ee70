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
#include "replay/compare.h"
#include "replay/extent.h"
#include "replay/solo_command.h"
#include "replay/tell.h"
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

// A replay that was left early, or that ended as the recorded run did not, made fewer calls.
void forgive_early_end(replay::Comparison& comparison) {
  comparison.only_in_first = 0;
  comparison.first_missing.reset();
}

const std::optional<replay::DifferingCall>& first_difference(const replay::Comparison& comparison) {
  return comparison.first_call ? comparison.first_call : comparison.first_missing;
}

Result<model::Verdict> judge(const record::Payload& recorded, const fs::path& folder, int status) {
  model::Verdict verdict;
  verdict.job.world_size = recorded.world_size;
  verdict.job.ranks_seen = {recorded.rank};
  auto replayed = record::read_payload(record::payload_path(folder, recorded.rank, 0));
  if (!replayed.ok()) {
    verdict.limits.push_back("the replay did not begin to communicate: nothing could be compared");
    return verdict;
  }
  replay::Comparison comparison = replay::compare_runs(recorded, replayed.value());
  if (status != 0) forgive_early_end(comparison);
  replay::Compared compared{.rank = recorded.rank, .first = "the recorded run", .second = "the replay"};
  compared.file = record::payload_path("", recorded.rank, recorded.restart);
  if (const auto& first = first_difference(comparison)) {
    compared.details = replay::find_call_details(folder / record::rank_file_name(recorded.rank, 0),
                                                 first->communicator, first->call);
  }
  if (recorded.process && replayed.value().process) {
    compared.differences = replay::differences_between(*recorded.process, *replayed.value().process);
  }
  if (auto finding = replay::finding_from(comparison, compared))
    verdict.findings.push_back(*std::move(finding));
  if (comparison.calls == 0) verdict.limits.push_back("no call was compared");
  if (comparison.states == 0) {
    verdict.limits.push_back("no state was compared: no optimizer stepped, or its tensors are on a device");
  }
  return verdict;
}

void tell_equal(const model::Verdict& verdict, const record::Payload& recorded, const fs::path& folder,
                Terminal& terminal) {
  auto replayed = record::read_payload(record::payload_path(folder, recorded.rank, 0));
  if (!replayed.ok()) return;
  const replay::Comparison comparison = replay::compare_runs(recorded, replayed.value());
  terminal.tell(
      fmt::format("lockstep: rank {} replayed bit for bit: {} calls and {} steps compared, no difference\n",
                  recorded.rank, comparison.calls, comparison.states));
  for (const std::string& limit : verdict.limits) terminal.tell(fmt::format("lockstep: {}\n", limit));
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
  terminal.tell(fmt::format("lockstep: replaying rank {} of {}, {}\n", number, world_size,
                            replay::in_words(replay::extent_of(*rank, job))));
  const launch::ReplaySettings settings{
      .recording = recording, .rank = number, .world_size = world_size, .restart = rank->restart};
  const int status = TRY(process::run_in_foreground(
      replay::solo_command(*rank->process, args.command),
      launch::with_replay(environment_for(*rank->process), parts, folder.path(), settings),
      rank->process->folder));

  const model::Verdict verdict = TRY(judge(*rank, folder.path(), status));
  TRY(base::write_file(folder.path() / "findings.json", report::encode_findings(verdict)));
  if (verdict.findings.empty()) {
    tell_equal(verdict, *rank, folder.path(), terminal);
    return ExitStatus{status};
  }
  if (args.has("what-if")) terminal.tell("lockstep: the first thing that changes:\n");
  const report::TextStyle style{.colour = terminal.color_on_err(), .width = terminal.width()};
  terminal.tell("\n" + report::render_text(verdict, style));
  return status == 0 && !args.has("what-if") ? ExitStatus::kFindings : ExitStatus{status};
}

constexpr Flag kFlags[] = {
    {.name = "rank", .short_name = 'r', .value_name = "RANK", .help = "The rank to run"},
    {.name = "what-if",
     .help =
         "Something was changed on purpose: say what changes first, and end with the program's own status"},
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
