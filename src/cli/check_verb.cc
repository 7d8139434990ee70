#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/process/environment.h"
#include "base/text_fields.h"
#include "check/check.h"
#include "check/probe/probing.h"
#include "check/repair/repair.h"
#include "cli/fix.h"
#include "cli/program.h"
#include "cli/remote_flags.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/write_verdict.h"
#include "hostinfo/collect/collect.h"
#include "launchers/launcher.h"
#include "report/findings_json.h"
#include "report/html/html.h"
#include "report/redact/redact.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kCheckPageFormat = "html";

Result<std::string> check_format_from(const Args& args) {
  std::string name = *args.value("format");
  if (args.has("json")) {
    if (args.has("format") && name != "json")
      return Error{"'--json' and '--format' contradict each other", "", "", "give one of them"};
    return std::string("json");
  }
  const std::string out = *args.value("out");
  const bool names_a_page = out.ends_with(".html") || out.ends_with(".htm");
  return names_a_page && !args.has("format") ? std::string(kCheckPageFormat) : name;
}

std::string input_of(const Args& args) {
  std::string input;
  for (const auto* words : {&args.operands, &args.command})
    for (const std::string& word : *words) input += (input.empty() ? "" : " ") + word;
  return input;
}

// What else is told: members of the JSON, and what the page shows beside the findings.
base::Json members_of(const check::CheckResult& checked, bool shows_addresses) {
  base::Json members = base::Json::object();
  if (!checked.matrix.empty()) {
    std::vector<html::HostRow> rows;
    for (const flows::HostMatrix::Line& line : checked.matrix.lines)
      rows.push_back({line.hosts, line.cells, line.why});
    members["matrix"] = html::encode(rows);
  }
  if (checked.probing)
    members["probe"] = probe::to_json(*checked.probing, checked.probed_hosts, shows_addresses);
  return members;
}

Result<ExitStatus> write_page(model::Verdict verdict, const base::Json& members,
                              const std::vector<std::string>& host_names, const Args& args,
                              Terminal& terminal) {
  html::Contents contents = html::contents_of(input_of(args), std::move(verdict));
  html::add_hosts(contents, members);
  if (args.has("redact")) html::redact(contents, host_names);
  return write_text(TRY(html::html_of(contents, version())), contents.verdict, *args.value("out"), terminal);
}

constexpr std::string_view kFolderOfVariables = "lockstep-fix";

Result<void> check_fix_flags(const Args& args, const std::string& format) {
  if (args.has("apply") && !args.has("fix"))
    return Error{"'--apply' carries out what '--fix' finds", "", "", "give both"};
  if (!args.has("fix")) return {};
  if (args.has("redact"))
    return Error{"'--fix' and '--redact' contradict each other", "", "a masked command repairs nothing", ""};
  if (format != kCheckPageFormat) return {};
  return Error{"'--fix' has no place on the page", "", "",
               "write the page without it, and the repair with  --fix -f text  (or markdown, json, sarif)"};
}

// What else is told: `text` behind the verdict, or members of its JSON; in SARIF properties of the run.
Result<ExitStatus> write_with(const base::Json& members, const model::Verdict& verdict,
                              const std::string& format, const std::string& first, const std::string& text,
                              const Args& args, Terminal& terminal) {
  const std::string out = *args.value("out");
  const report::Format form = *report::format_named(format);
  const bool is_json = form == report::Format::kJson || form == report::Format::kSarif;
  if (!is_json || members.empty())
    return write_verdict(verdict, {.format = form, .out = out}, terminal, text, first);
  base::Json document = TRY(base::parse_json(report::render(verdict, form, {}, version()), "findings"));
  base::Json& place = form == report::Format::kSarif ? document["runs"][0]["properties"] : document;
  place.update(members);
  return write_text(report::to_printable_text(document), verdict, out, terminal);
}

Result<check::ProbeRequest> probe_request(const Args& args, Terminal& terminal, ProgressLine& progress) {
  const auto wait = base::number_in<int>(*args.value("wait"));
  if (!wait || *wait < 1 || *wait > 3600)
    return Error{"--wait takes seconds", *args.value("wait"), "", "give a number from 1 to 3600"};
  check::ProbeRequest request;
  request.hosts = words_in(args.values("host"));
  request.is_by_hand = *args.value("via") == "hand";
  request.remote = remote_request(args, {});
  request.sends_program = args.has("send");
  request.python = args.value("python").value_or("");
  request.listen_at = args.value("listen");
  request.wait = std::chrono::seconds(*wait);
  request.measures = args.has("probe-matrix");
  request.tell = [&](const std::string& line) { terminal.tell(line); };
  request.on_progress = [&](std::string_view what, std::size_t done, std::size_t all) {
    progress.show_count(what, done, all);
  };
  return request;
}

// The progress line goes before anything is written.
Result<check::CheckResult> checked_by(const Args& args, Terminal& terminal) {
  ProgressLine progress(terminal);
  check::CheckRequest request;
  request.inputs = check::launch_inputs(args.command, args.operands);
  request.facts_folder = args.value("facts");
  request.wants_repair = args.has("fix");
  if (!args.has("elsewhere")) {
    request.facts_here = [&args] {
      return hostinfo::collect({.names = {},
                                .python = args.value("python").value_or(""),
                                .program = fmt::format("lockstep {}", version())});
    };
  }
  if (args.has("probe") || args.has("probe-matrix"))
    request.probe = TRY(probe_request(args, terminal, progress));
  return check::check(request);
}

void redact(check::CheckResult& checked) {
  std::vector<std::string*> names;
  for (flows::HostMatrix::Line& line : checked.matrix.lines) {
    names.push_back(&line.hosts);
    for (auto& [place, why] : line.why) names.push_back(&why);
  }
  for (std::string& name : checked.probed_hosts) names.push_back(&name);
  for (std::string& line : checked.understood) names.push_back(&line);
  report::redact_together(checked.verdict, names, checked.host_names);
}

// What a text for people begins with; redacted, names of hosts are not repeated.
std::string understood_first(const check::CheckResult& checked, const std::string& format) {
  if (format != "text" || checked.understood.empty()) return "";
  std::string text;
  for (const std::string& line : checked.understood)
    text +=
        fmt::format("{} {}\n", text.empty() ? "Understood:" : "           ", base::escape_for_terminal(line));
  return text + "\n";
}

// What follows the verdict in a text for people.
std::string text_behind(const check::CheckResult& checked, const std::string& format) {
  std::string more = format == "text" && !checked.matrix.empty() ? "\n" + flows::to_text(checked.matrix) : "";
  if (format == "text" && checked.probing)
    more += "\n" + probe::to_text(*checked.probing, checked.probed_hosts);
  if (checked.repair)
    more += "\n" +
            (format == "markdown" ? repair::to_markdown(*checked.repair) : repair::to_text(*checked.repair));
  return more;
}

Result<ExitStatus> run_check(const Args& args, Terminal& terminal) {
  const std::string format = TRY(check_format_from(args));
  TRY(check_fix_flags(args, format));
  check::CheckResult checked = TRY(checked_by(args, terminal));
  if (format == kCheckPageFormat)
    return write_page(checked.verdict, members_of(checked, true), checked.host_names, args, terminal);
  if (args.has("redact")) redact(checked);
  base::Json members = members_of(checked, !args.has("redact"));
  if (!args.has("redact")) members["understood"] = checked.understood_values;
  if (checked.repair) members["repair"] = repair::to_json(*checked.repair);
  const ExitStatus status =
      TRY(write_with(members, checked.verdict, format, understood_first(checked, format),
                     text_behind(checked, format), args, terminal));
  if (checked.repair && args.has("apply"))
    TRY(apply_repair(*checked.repair, std::string(kFolderOfVariables), terminal));
  return status;
}

// A launcher, or what PATH leads to, rather than a file of the launch.
bool names_a_program(std::string_view word, std::size_t operands) {
  const std::string name(word);
  std::error_code ignored;
  if (operands != 0 || name.find('/') != std::string::npos || std::filesystem::exists(name, ignored))
    return false;
  const std::vector<std::string> words = {name};
  return launchers::find_launcher(words) || process::program_for(name, process::own_environment()) != name;
}

constexpr std::string_view kCheckFormats[] = {"text", "json", "markdown", "sarif", "html"};

constexpr std::string_view kProbeVias[] = {"ssh", "srun", "mpirun", "kubectl", "hand"};

constexpr Flag kCheckFlags[] = {
    {.name = "facts",
     .value_name = "PATH",
     .help = "Facts of the job's hosts: a folder with one JSON file each, or one such file",
     .kind = ValueKind::kFile},
    {.name = "elsewhere", .help = "Do not inspect this host; the job will run elsewhere"},
    {.name = "probe", .help = "Try the connections with real packets, by agents on the hosts"},
    {.name = "probe-matrix", .help = "The same, and measure latency and bandwidth between all pairs"},
    {.name = "host",
     .value_name = "HOSTS",
     .help = "The hosts to probe, as a list with commas; pods as NAMESPACE/POD",
     .repeatable = true},
    {.name = "via",
     .value_name = "PROGRAM",
     .help = "How to start agents on them; hand prints the command",
     .choices = kProbeVias,
     .default_value = "ssh"},
    kProgramFlag,
    kSendFlag,
    {.name = "python",
     .value_name = "PATH",
     .help = "The job's interpreter there, which agents ask for versions; python3 otherwise",
     .kind = ValueKind::kFile},
    {.name = "listen",
     .value_name = "HOST:PORT",
     .help = "Where agents that are started by hand find this check"},
    {.name = "wait", .value_name = "SECONDS", .help = "How long to wait for agents", .default_value = "60"},
    {.name = "fix", .help = "Find the smallest change that works, as a patch and as commands for each host"},
    {.name = "apply", .help = "Carry out what --fix finds: files and variables; firewalls only when asked"},
    {.name = "format",
     .short_name = 'f',
     .value_name = "FORMAT",
     .help = "How to write it; html where --out ends in .html",
     .choices = kCheckFormats,
     .default_value = "text"},
    kOutFlag,
    kVerdictFlags[2],
};

constexpr std::string_view kCheckDescription[] = {
    "Decides from the configuration, before anything runs, whether the job can work. It reads the launch "
    "command "
    "(torchrun, accelerate, deepspeed, horovodrun, mpirun, srun, docker run), its environment, and files: "
    "shell and "
    "sbatch scripts, host files, accelerate and DeepSpeed configurations, TF_CONFIG, Kubernetes manifests, "
    "compose "
    "files. With the facts of the hosts it also compares interfaces, names, versions, limits and devices; "
    "for a command that runs on this host only, this host is inspected, and the script must exist.",
    "Each finding names the values that prove it, with file and line, flag or variable, and what to change; "
    "it has "
    "the leaf and code that 'lockstep diagnose' would give the failure. Findings of low confidence are "
    "warnings. A "
    "file that cannot be read is named under limits, and the rest is decided.",
    "With --probe agents on the hosts make those connections for real, on the interface and ports that the "
    "job "
    "would use, small and large packets both ways, each failure twice. Their outcome stands beside what "
    "rules "
    "and routes predict; where the two differ, that is a finding. Without --facts the agents tell them. "
    "Agents "
    "end with the check.",
    "With --fix the smallest change is searched with which nothing keeps the job from working: variables "
    "before "
    "flags "
    "and files, those before firewalls, those before the system. check is asked again with the change made "
    "before "
    "it "
    "is shown. --apply patches the files, each at once and with its old text kept beside it as "
    "FILE.before-fix, and writes variables to lockstep-fix/HOST.env, to be sourced on each host; a command "
    "for the firewall or the system of this host runs only after a yes on the terminal.",
    "Exit status 0: nothing wrong found; 1: findings; 2: nothing could be read.",
};

constexpr Example kCheckExamples[] = {
    {"lockstep check -- torchrun --nnodes 2 --rdzv-endpoint node0:29400 train.py",
     "A command before it runs"},
    {"lockstep check train.sbatch hostfile", "A batch script and its host file"},
    {"lockstep check --facts facts/ job.yaml", "A manifest with the facts of the hosts"},
    {"lockstep check --facts facts/ --fix node0.sh node1.sh", "What to change so that the job works"},
    {"lockstep check --facts facts/ -o check.html -- torchrun train.py", "As a page to look at"},
    {"lockstep check --probe --host node1,node2 train.sbatch", "With real packets, through ssh"},
};

}  // namespace

constinit const Verb kCheckVerb{
    .name = "check",
    .one_line = "decide from the configuration whether the job can work",
    .usage = "check [FILE...] [flags] [CMD...]",
    .group = VerbGroup::kStart,
    .description = kCheckDescription,
    .examples = kCheckExamples,
    .operands = {.name = "FILE",
                 .min = 0,
                 .max = Operands::kAnyNumber,
                 .help = "Scripts, host files, configurations and manifests that start the job",
                 .kind = ValueKind::kFile},
    .command = TakesCommand::kMay,
    .begins_command = names_a_program,
    .flags = kCheckFlags,
    .globals = {.json = true, .color = true},
    .run = run_check,
};

}  // namespace lockstep::cli
