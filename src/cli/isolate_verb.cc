#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/check.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process/environment.h"
#include "base/process/free_port.h"
#include "base/process/run.h"
#include "base/result.h"
#include "base/text_fields.h"
#include "cli/args.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/write_verdict.h"
#include "diagnose/diagnose.h"
#include "isolate/compare.h"
#include "isolate/control.h"
#include "report/findings_json.h"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr ExitStatus kTimedOut{124};  // as timeout(1) says it

struct ControlResult {
  isolate::Comparison comparison;
  int status = 0;
  double seconds = 0;
  bool timed_out = false;
  std::string folder;
};

Json encode_words(const isolate::Words& words) {
  Json json = Json::array();
  for (const std::string& word : words) json.push_back(base::to_valid_utf8(word));
  return json;
}

Json encode_environment(const std::vector<isolate::Change>& changes) {
  Json set = Json::object();
  Json unset = Json::array();
  for (const isolate::Change& change : changes) {
    if (change.value) {
      set[base::to_valid_utf8(change.name)] = base::to_valid_utf8(*change.value);
    } else {
      unset.push_back(base::to_valid_utf8(change.name));
    }
  }
  return {{"set", set}, {"unset", unset}};
}

// The findings document, lockstep-findings-v1, with its member "control". Without a result: what would run.
std::string encode_control(const isolate::Control& control, const std::optional<ControlResult>& result) {
  const model::Verdict verdict = result ? result->comparison.verdict : model::Verdict{};
  auto document = base::parse_json(report::encode_findings(verdict), "findings");
  CHECK(document.ok(), "what the reporter writes can be read");
  Json json = Json::object();
  json["launcher"] = base::to_valid_utf8(control.launcher);
  json["command"] = encode_words(control.command);
  json["environment"] = encode_environment(control.changes);
  json["left_out"] = encode_words(control.left_out);
  json["notes"] = encode_words(control.notes);
  if (result) {
    json["outcome"] = isolate::id_of(result->comparison.outcome);
    json["statement"] = base::to_valid_utf8(result->comparison.statement);
    json["status"] = result->status;
    json["seconds"] = result->seconds;
    json["timed_out"] = result->timed_out;
    json["folder"] = base::to_valid_utf8(result->folder);
  }
  document.value()["control"] = std::move(json);
  return report::to_printable_text(document.value());
}

// Keeps what a control run prints in its folder.
class ControlLog {
 public:
  // The folder is made; one that holds anything already is refused.
  static Result<ControlLog> in_folder(const std::filesystem::path& folder);

  void keep(process::Stream stream, std::string_view bytes) { files_.keep(stream, bytes); }
  // What follows is the job's answer to being ended: kept, but no evidence.
  void begin_ending() { files_.go_on_in("after_the_end_was_asked"); }
  void discard();  // nothing ran: take the folder away again

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path errors() const { return folder_ / "rank_0.err"; }
  std::vector<std::filesystem::path> evidence() const;
  bool is_whole() const { return files_.is_whole(); }

 private:
  ControlLog(std::filesystem::path folder, process::OutputFiles files)
      : folder_(std::move(folder)), files_(std::move(files)) {}

  std::filesystem::path folder_;
  process::OutputFiles files_;
};

Result<ControlLog> ControlLog::in_folder(const fs::path& folder) {
  constexpr const char* kHint = "choose another place with -o DIR";
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return Error{"cannot make the folder", folder.string(), fault.message(), kHint};
  if (!fs::is_empty(folder, fault) || fault)
    return Error{"cannot use the folder", folder.string(), fault ? fault.message() : "it is not empty",
                 kHint};
  process::OutputFiles files = TRY(process::OutputFiles::open(folder, "rank_0"));
  return ControlLog(folder, std::move(files));
}

void ControlLog::discard() {
  std::error_code ignored;
  for (const fs::path& file : evidence()) fs::remove(file, ignored);
  fs::remove(folder_, ignored);
}

std::vector<fs::path> ControlLog::evidence() const {
  return {folder_ / "rank_0.out", errors()};
}

// "lockstep-isolate-20261115-154501", in the current folder.
fs::path new_folder_name() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("lockstep-isolate-{:%Y%m%d-%H%M%S}", fmt::localtime(now));
}

isolate::Environment environment_of_this_process() {
  isolate::Environment environment;
  for (const std::string& entry : process::own_environment()) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

Result<std::chrono::seconds> timeout_from(const Args& args) {
  const std::string typed = *args.value("timeout");
  const auto seconds = base::number_in<std::int32_t>(typed);
  if (!seconds || *seconds < 0) {
    return Error{"wrong value for '--timeout'", typed, "not a number of seconds", "0 waits for ever"};
  }
  return std::chrono::seconds(*seconds);
}

Result<std::optional<model::Verdict>> judge_job(const Args& args) {
  const std::vector<std::string> given = args.values("against");
  if (given.empty()) return std::optional<model::Verdict>();
  const std::vector<fs::path> paths(given.begin(), given.end());
  return std::optional(TRY(diagnose::diagnose(paths)));
}

process::Command command_from(const isolate::Control& control, isolate::Environment environment) {
  for (const isolate::Change& change : control.changes) {
    if (change.value) {
      environment[change.name] = *change.value;
    } else {
      environment.erase(change.name);
    }
  }
  process::Command command{control.command, {}};
  for (const auto& [name, value] : environment) command.environment.push_back(name + "=" + value);
  return command;
}

// Everything the job prints goes to standard error: standard output is for the verdict.
Result<process::RunEnd> run_control(const process::Command& command, std::chrono::seconds timeout,
                                    ControlLog& log, Terminal& terminal) {
  process::RunOptions options;
  options.timeout = timeout;
  options.on_asking_to_end = [&] { log.begin_ending(); };
  options.on_output = [&](process::Stream stream, std::string_view bytes) {
    log.keep(stream, bytes);
    terminal.tell(bytes);
  };
  auto end = process::run(command, options);
  if (!end.ok()) log.discard();
  return end;
}

std::string end_in_words(const process::RunEnd& end) {
  const auto seconds = [](std::chrono::milliseconds time) {
    return static_cast<double>(time.count()) / 1000;
  };
  if (end.timed_out) {
    return fmt::format("was still running after {:.0f} s, the last {:.0f} s without output", seconds(end.ran),
                       seconds(end.quiet));
  }
  const std::string how = end.ended_by_signal ? fmt::format("was ended by signal {}", *end.ended_by_signal)
                                              : fmt::format("ended with status {}", end.exit_status);
  return fmt::format("{} after {:.1f} s", how, seconds(end.ran));
}

isolate::ControlRun judge_control(const process::RunEnd& end, const ControlLog& log) {
  isolate::ControlRun run;
  run.status = end.status();
  run.timed_out = end.timed_out;
  run.was_interrupted = end.interrupted_by.has_value();
  run.end_in_words = end_in_words(end);
  run.log = log.errors().string();
  auto verdict = diagnose::diagnose(log.evidence());
  if (verdict.ok()) run.verdict = std::move(verdict).value();  // a job that printed nothing leaves nothing
  return run;
}

ExitStatus status_of(const process::RunEnd& end) {
  if (end.interrupted_by) return ExitStatus{128 + *end.interrupted_by};
  return end.timed_out ? kTimedOut : ExitStatus{end.status()};
}

Result<ExitStatus> show_plan(const isolate::Control& control, const isolate::Launch& launch, const Args& args,
                             Terminal& terminal) {
  TRY(terminal.write(args.has("json") ? encode_control(control, std::nullopt)
                                      : isolate::describe(control, launch.environment)));
  return ExitStatus::kNothingFound;
}

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  const isolate::Launch launch{args.command, environment_of_this_process(), TRY(process::free_port())};
  const isolate::Control control = TRY(isolate::reduce_to_one_rank(launch));
  const std::chrono::seconds timeout = TRY(timeout_from(args));
  if (args.has("dry-run")) return show_plan(control, launch, args, terminal);

  const std::optional<model::Verdict> job = TRY(judge_job(args));
  ControlLog log = TRY(ControlLog::in_folder(args.value("out").value_or(new_folder_name().string())));
  terminal.tell(isolate::describe(control, launch.environment));
  terminal.tell(fmt::format("  {:<13}kept in {}\n", "output", log.folder().string()));
  if (timeout.count() > 0)
    terminal.tell(fmt::format("  {:<13}{} s (--timeout)\n", "time limit", timeout.count()));

  const process::RunEnd end =
      TRY(run_control(command_from(control, launch.environment), timeout, log, terminal));
  ControlResult result;
  result.comparison = isolate::compare(judge_control(end, log), job);
  result.status = static_cast<int>(status_of(end));
  result.seconds = static_cast<double>(end.ran.count()) / 1000;
  result.timed_out = end.timed_out;
  result.folder = log.folder().string();
  std::vector<std::string>& limits = result.comparison.verdict.limits;
  if (!log.is_whole())
    limits.push_back("the control run's output could not be kept whole: is the disk full?");
  if (end.left_processes) limits.push_back("processes that outlived the control run's command were ended");

  const std::string json = encode_control(control, result);
  TRY(base::write_file(log.folder() / "findings.json", json));
  if (args.has("json")) {
    TRY(terminal.write(json));
  } else {
    TRY(terminal.write(paragraph(base::escape_for_terminal(result.comparison.statement), 0) + "\n"));
    TRY(write_verdict(result.comparison.verdict, report::Format::kText, "-", terminal));
  }
  return status_of(end);
}

constexpr Flag kFlags[] = {
    {.name = "against",
     .value_name = "PATH",
     .help = "What the failed job left: logs, dumps, a folder of them",
     .repeatable = true,
     .kind = ValueKind::kFile},
    {.name = "out",
     .short_name = 'o',
     .value_name = "DIR",
     .help = "Keep output and findings there, not in a new folder lockstep-isolate-TIME",
     .kind = ValueKind::kFolder},
    {.name = "timeout",
     .value_name = "SECONDS",
     .help = "End the run after that time; 0 waits for ever",
     .default_value = "600"},
    {.name = "dry-run", .help = "Only show what would run"},
};

constexpr std::string_view kDescription[] = {
    "Runs the job's command as one rank alone, world size 1, and says whether the fault remains: then it is "
    "an ordinary one; when it is gone, it is distributed. The control run is judged as 'lockstep diagnose' "
    "judges, and compared with what the failed job left (--against).",
    "Knows torchrun and torch.distributed.run, horovodrun, mpirun and mpiexec, srun, deepspeed, accelerate "
    "launch, and programs that learn of other ranks from RANK and WORLD_SIZE or from TF_CONFIG. The changed "
    "command and environment are shown before anything runs. A command that cannot be reduced honestly is "
    "refused with the reason.",
    "What the job prints goes to standard error, the verdict to standard output. Ctrl-C and SIGTERM are "
    "passed on, and no process is left behind.",
    "Exit status: the command's own; 124 when it was ended after --timeout, 2 when it could not be run.",
};

constexpr Example kExamples[] = {
    {"lockstep isolate --against logs/ -- torchrun --nproc_per_node 4 train.py", "Is its fault distributed?"},
    {"lockstep isolate --dry-run -- mpirun -np 8 -H a:4,b:4 python train.py", "What would run?"},
    {"lockstep isolate --json -- srun -n 8 python train.py | jq .control.outcome",
     "The answer, for a program"},
};

}  // namespace

constinit const Verb kIsolateVerb{
    .name = "isolate",
    .one_line = "run one rank alone: is the fault distributed at all?",
    .usage = "isolate [flags] -- CMD...",
    .description = kDescription,
    .examples = kExamples,
    .command = TakesCommand::kMust,
    .flags = kFlags,
    .globals = {.json = true, .color = true},
    .run = run,
};

}  // namespace lockstep::cli
