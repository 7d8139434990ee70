#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/process/environment.h"
#include "base/process/free_port.h"
#include "base/result.h"
#include "base/text_fields.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_verdict.h"
#include "diagnose/diagnose.h"
#include "isolate/compare.h"
#include "isolate/control.h"
#include "isolate/control_run.h"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;

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

Result<ExitStatus> show_plan(const isolate::Control& control, const isolate::Launch& launch, const Args& args,
                             Terminal& terminal) {
  TRY(terminal.write(args.has("json") ? isolate::encode_control(control, std::nullopt)
                                      : isolate::describe(control, launch.environment)));
  return ExitStatus::kNothingFound;
}

// What will run, before it does.
void announce(const isolate::Control& control, const isolate::Launch& launch,
              const isolate::ControlRequest& request, Terminal& terminal) {
  terminal.tell(isolate::describe(control, launch.environment));
  terminal.tell(fmt::format("  {:<13}kept in {}\n", "output", request.folder.string()));
  if (request.timeout.count() > 0)
    terminal.tell(fmt::format("  {:<13}{} s (--timeout)\n", "time limit", request.timeout.count()));
}

Result<ExitStatus> run_isolate(const Args& args, Terminal& terminal) {
  const isolate::Launch launch{args.command, environment_of_this_process(), TRY(process::free_port())};
  const isolate::Control control = TRY(isolate::reduce_to_one_rank(launch));
  isolate::ControlRequest request;
  request.timeout = TRY(timeout_from(args));
  if (args.has("dry-run")) return show_plan(control, launch, args, terminal);

  request.job = TRY(judge_job(args));
  request.folder = args.value("out").value_or(isolate::new_folder_name().string());
  request.before_start = [&] { announce(control, launch, request, terminal); };
  // Everything the job prints goes to standard error: standard output is for the verdict.
  request.on_output = [&](std::string_view bytes) { terminal.tell(bytes); };
  const isolate::ControlResult result = TRY(isolate::run_control(control, launch.environment, request));
  if (args.has("json")) {
    TRY(terminal.write(isolate::encode_control(control, result)));
  } else {
    TRY(terminal.write(paragraph(base::escape_for_terminal(result.comparison.statement), 0) + "\n"));
    TRY(write_verdict(result.comparison.verdict, {}, terminal));
  }
  return ExitStatus{result.status};
}

constexpr Flag kIsolateFlags[] = {
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

constexpr std::string_view kIsolateDescription[] = {
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

constexpr Example kIsolateExamples[] = {
    {"lockstep isolate --against logs/ -- torchrun --nproc_per_node 4 train.py", "Is its fault distributed?"},
    {"lockstep isolate --dry-run -- mpirun -np 8 -H a:4,b:4 python train.py", "What would run?"},
    {"lockstep isolate --json -- srun -n 8 python train.py | jq .control.outcome",
     "The answer, for a program"},
};

}  // namespace

constinit const Verb kIsolateVerb{
    .name = "isolate",
    .one_line = "run one rank alone: is the fault distributed at all?",
    .usage = "isolate [flags] CMD...",
    .group = VerbGroup::kDeeper,
    .description = kIsolateDescription,
    .examples = kIsolateExamples,
    .command = TakesCommand::kMust,
    .begins_command = [](std::string_view, std::size_t) { return true; },
    .flags = kIsolateFlags,
    .globals = {.json = true, .color = true},
    .run = run_isolate,
};

}  // namespace lockstep::cli
