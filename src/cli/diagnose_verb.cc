#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_verdict.h"
#include "diagnose/diagnose.h"
#include "report/findings_json.h"
#include "report/redact/redact.h"

namespace lockstep::cli {
namespace {

Result<report::Format> report_format_from(const Args& args) {
  const std::string name = *args.value("format");
  if (!args.has("json")) return *report::format_named(name);
  if (args.has("format") && name != "json") {
    return Error{"'--json' and '--format' contradict each other", "", "", "give one of them"};
  }
  return report::Format::kJson;
}

Result<diagnose::Diagnosis> judge(const Args& args, Terminal& terminal) {
  ProgressLine progress(terminal);
  readers::ReadOptions options;
  options.on_progress = [&](const readers::ReadProgress& now) {
    progress.show("reading", now.bytes_done, now.bytes);
  };
  const std::vector<std::filesystem::path> paths(args.operands.begin(), args.operands.end());
  const auto on_scanned = [&](std::uint64_t bytes_done, std::uint64_t bytes) {
    progress.show("looking for symptoms", bytes_done, bytes);
  };
  return diagnose::diagnose_watched(paths, report::live_findings_in(paths), options, on_scanned);
}

}  // namespace

Error no_job_in(std::uint64_t lines) {
  return {fmt::format("no training job seen in {} {}", lines, lines == 1 ? "line" : "lines"), "",
          "it mentions no rank, step or framework",
          "give the job's logs, dumps or recording; 'lockstep help diagnose' lists what it reads"};
}

namespace {

Result<ExitStatus> run_diagnose(const Args& args, Terminal& terminal) {
  const report::Format format = TRY(report_format_from(args));
  diagnose::Diagnosis found = TRY(judge(args, terminal));
  if (found.lines_without_a_job) return no_job_in(*found.lines_without_a_job);
  if (args.has("explain")) found.verdict.decisions = std::move(found.decisions);
  if (args.has("redact")) found.verdict = report::redact(std::move(found.verdict), found.host_names);
  return write_verdict(
      found.verdict, {.format = format, .out = *args.value("out"), .details = args.has("details")}, terminal);
}

constexpr Flag kDiagnoseFlags[] = {
    kFormatFlag,
    kOutFlag,
    kVerdictFlags[2],
    {.name = "details",
     .help = "Show everything: all evidence and fixes, every finding in full, the limits of the verdict"},
    {.name = "explain",
     .help = "Show after the findings which rule ordered, joined or dropped which, and why"},
};

constexpr std::string_view kDiagnoseDescription[] = {
    "Reads what a job left behind and says which rank is the root cause, which ranks were only affected, "
    "what "
    "proves it and what to do. In a terminal it says no more than is needed to go on; --details has the "
    "rest. "
    "Folders are walked; each file is recognised by what is in it, whatever its name; gzip and zstd are "
    "read as "
    "they are.",
    "It reads the logs of every rank and launcher, PyTorch flight-recorder dumps (pickle and JSON), "
    "snapshots of "
    "PyTorch's debug server, torchrun error files and summaries, Kineto and Chrome traces, torchcomms logs, "
    "NCCL RAS "
    "reports, NCCL Inspector files, NCCL_DEBUG output, Horovod timelines, stack dumps of py-spy, pystack and "
    "faulthandler, and Lockstep recordings. A damaged or missing file makes the verdict weaker and is named; "
    "a pickle "
    "is never executed.",
    "Logs that name no fault and are still written on this host: says whether the job hangs, by how long it "
    "has "
    "been silent and whether its processes wait, work or are stopped.",
    "Exit status 0: nothing wrong found; 1: findings; 2: nothing could be read, or the input does not "
    "come from a training job.",
};

constexpr Example kDiagnoseExamples[] = {
    {"lockstep diagnose dumps/", "Everything below a folder"},
    {"lockstep diagnose --details dumps/", "All evidence, all fixes and the limits of the verdict"},
    {"lockstep diagnose --json dumps/ | jq '.findings[0].root_ranks'",
     "The root cause's ranks, for a program"},
    {"lockstep diagnose --explain dumps/ logs/",
     "Why this finding is the first and what became of the others"},
    {"lockstep diagnose --format=markdown --redact -o report.md dumps/", "To paste into an issue"},
};

}  // namespace

constinit const Verb kDiagnoseVerb{
    .name = "diagnose",
    .one_line = "say what went wrong, on which rank, and what to do",
    .usage = "diagnose PATH... [flags]",
    .group = VerbGroup::kStart,
    .description = kDiagnoseDescription,
    .examples = kDiagnoseExamples,
    .operands = {.name = "PATH",
                 .min = 1,
                 .max = Operands::kAnyNumber,
                 .help = "Dumps, traces, logs, recordings or folders of them; - is standard input",
                 .kind = ValueKind::kFile},
    .flags = kDiagnoseFlags,
    .globals = {.json = true, .color = true},
    .run = run_diagnose,
};

}  // namespace lockstep::cli
