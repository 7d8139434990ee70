#include <algorithm>

#include <fmt/format.h>

#include "check/flows/judge_flows.h"
#include "check/probe/judge.h"
#include "check/probe/report.h"
#include "check/repair/describe.h"
#include "check/rules/catalogue.h"
#include "check/rules/host_documents.h"
#include "check/rules/judge.h"
#include "cli/args.h"
#include "cli/check_probe.h"
#include "cli/fix.h"
#include "cli/launch_inputs.h"
#include "cli/program_text.h"
#include "cli/remote_flags.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "cli/write_verdict.h"
#include "hostinfo/facts_folder.h"
#include "report/findings_json.h"
#include "report/html/html.h"
#include "report/printable_json.h"
#include "report/redact/redact.h"

namespace lockstep::cli {
namespace {

using config::Configuration;
using config::Settings;

// Without a command or a file, the variables of this process must tell of a job.
bool tells_of_a_job(const Settings& launch) {
  return launch.has("launchers") || launch.has("containers") || launch.has("env/RANK") ||
         launch.has("env/WORLD_SIZE") || launch.has("env/MASTER_ADDR") || launch.has("env/SLURM_JOB_ID") ||
         launch.has("accelerate") || launch.has("program");
}

Result<void> check_there_is_something(const Configuration& configuration, const Args& args, bool has_facts) {
  if (has_facts || std::ranges::any_of(configuration.launches, tells_of_a_job)) return {};
  if (!configuration.faults.empty()) {
    const config::Fault& fault = configuration.faults.front();
    return Error{"nothing to check could be read", fault.file, fault.why, ""};
  }
  const bool was_given = !args.command.empty() || !args.operands.empty();
  return Error{
      "there is nothing to check", was_given ? "what was given starts no job" : "", "",
      "give the command that starts the job, as in 'lockstep check -- torchrun train.py', its files, or "
      "--facts"};
}

std::string framework_of(const Settings& launch) {
  if (launch.has("torchrun") || launch.has("deepspeed") || launch.has("accelerate")) return "pytorch";
  if (launch.has("horovod")) return "horovod";
  if (launch.has("tf")) return "tensorflow";
  if (launch.has("env/RANK") && launch.has("env/WORLD_SIZE")) return "pytorch";
  return launch.has("mpi") ? "mpi" : "";
}

model::JobSummary summary_of(const Configuration& configuration, std::size_t hosts_with_facts) {
  model::JobSummary job;
  for (const Settings& launch : configuration.launches) {
    if (job.framework.empty()) job.framework = framework_of(launch);
    const auto size = launch.number("job/world_size");
    if (size && *size > 0 && *size < 1'000'000 && !job.world_size) job.world_size = static_cast<int>(*size);
    const auto nodes = launch.number("job/nnodes");
    if (nodes && *nodes > 0 && *nodes < 1'000'000 && !job.hosts) job.hosts = static_cast<int>(*nodes);
  }
  if (!job.hosts && hosts_with_facts > 0) job.hosts = static_cast<int>(hosts_with_facts);
  return job;
}

std::string fault_in_words(const config::Fault& fault) {
  const std::string line = fault.line ? fmt::format(":{}", *fault.line) : "";
  return fmt::format("{}{}: {}", fault.file.empty() ? "the command" : fault.file, line, fault.why);
}

void add_limits(const Configuration& configuration, std::size_t hosts_with_facts, model::Verdict& verdict) {
  for (const config::Fault& fault : configuration.faults) verdict.limits.push_back(fault_in_words(fault));
  if (hosts_with_facts == 0) {
    verdict.limits.push_back(
        "no facts of hosts were given (--facts): interfaces, names, firewalls, versions and limits of the "
        "hosts "
        "were not looked at");
  } else if (verdict.job.hosts && static_cast<std::size_t>(*verdict.job.hosts) > hosts_with_facts) {
    verdict.limits.push_back(
        fmt::format("facts of {} of {} hosts were given", hosts_with_facts, *verdict.job.hosts));
  }
}

constexpr std::string_view kPageFormat = "html";

Result<std::string> format_from(const Args& args) {
  std::string name = *args.value("format");
  if (args.has("json")) {
    if (args.has("format") && name != "json")
      return Error{"'--json' and '--format' contradict each other", "", "", "give one of them"};
    return std::string("json");
  }
  const std::string out = *args.value("out");
  const bool names_a_page = out.ends_with(".html") || out.ends_with(".htm");
  return names_a_page && !args.has("format") ? std::string(kPageFormat) : name;
}

std::vector<std::string> names_of(const std::vector<rules::HostDocument>& hosts) {
  std::vector<std::string> names;
  for (const rules::HostDocument& host : hosts) {
    const auto name = host.facts.is_object() ? host.facts.find("host") : host.facts.end();
    if (name != host.facts.end() && name->is_string()) names.push_back(name->get<std::string>());
  }
  return names;
}

std::string input_of(const Args& args) {
  std::string input;
  for (const auto* words : {&args.operands, &args.command})
    for (const std::string& word : *words) input += (input.empty() ? "" : " ") + word;
  return input;
}

struct Connections {
  flows::HostMatrix matrix;
  std::optional<probe::Probing> probing;
  std::vector<std::string> host_names;  // of the probing, in its order
};

// What else is told: members of the JSON, and what the page shows beside the findings.
base::Json members_of(const Connections& connections, bool shows_addresses) {
  base::Json members = base::Json::object();
  if (!connections.matrix.empty()) {
    std::vector<html::HostRow> rows;
    for (const flows::HostMatrix::Line& line : connections.matrix.lines)
      rows.push_back({line.hosts, line.cells, line.why});
    members["matrix"] = html::encode(rows);
  }
  if (connections.probing)
    members["probe"] = probe::to_json(*connections.probing, connections.host_names, shows_addresses);
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

// What the job's connections meet on their way from host to host: by rules and routes, and by real packets.
Result<Connections> judge_connections(const Configuration& configuration, const std::string& folder,
                                      CheckProbe* probe, model::Verdict& verdict) {
  const hostinfo::FactsFolder facts = TRY(hostinfo::read_facts_folder(folder));
  flows::FlowJudgement judged = flows::judge_flows(configuration, facts.hosts);
  Connections made;
  if (probe != nullptr) {
    made.probing = probe->run(configuration, facts.hosts);
    probe::judge(*made.probing, facts.hosts, judged);
    for (const hostinfo::HostFacts& host : facts.hosts) made.host_names.push_back(host.name);
  }
  verdict.findings.insert(verdict.findings.begin(), judged.findings.begin(), judged.findings.end());
  verdict.limits.insert(verdict.limits.end(), judged.limits.begin(), judged.limits.end());
  made.matrix = std::move(judged.matrix);
  return made;
}

constexpr std::string_view kFolderOfVariables = "lockstep-fix";

Result<void> check_fix_flags(const Args& args, const std::string& format) {
  if (args.has("apply") && !args.has("fix"))
    return Error{"'--apply' carries out what '--fix' finds", "", "", "give both"};
  if (!args.has("fix")) return {};
  if (args.has("redact"))
    return Error{"'--fix' and '--redact' contradict each other", "", "a masked command repairs nothing", ""};
  if (format != kPageFormat) return {};
  return Error{"'--fix' has no place on the page", "", "",
               "write the page without it, and the repair with  --fix -f text  (or markdown, json, sarif)"};
}

// What else is told: `text` behind the verdict, or members of its JSON; in SARIF properties of the run.
Result<ExitStatus> write_with(const base::Json& members, const model::Verdict& verdict,
                              const std::string& format, const std::string& text, const Args& args,
                              Terminal& terminal) {
  const std::string out = *args.value("out");
  const report::Format form = *report::format_named(format);
  const bool is_json = form == report::Format::kJson || form == report::Format::kSarif;
  if (!is_json || members.empty()) return write_verdict(verdict, form, out, terminal, text);
  base::Json document = TRY(base::parse_json(report::render(verdict, form, {}, version()), "findings"));
  base::Json& place = form == report::Format::kSarif ? document["runs"][0]["properties"] : document;
  place.update(members);
  return write_text(report::to_printable_text(document), verdict, out, terminal);
}

Result<ExitStatus> run(const Args& args, Terminal& terminal) {
  const std::string format = TRY(format_from(args));
  TRY(check_fix_flags(args, format));
  Configuration configuration = config::read_configuration(launch_inputs(args.command, args.operands));
  std::unique_ptr<CheckProbe> probe;
  if (args.has("probe") || args.has("probe-matrix"))
    probe = TRY(CheckProbe::begin(args, configuration, terminal));
  const auto folder = probe ? std::optional(TRY(probe->facts_folder())) : args.value("facts");
  std::vector<rules::HostDocument> hosts;
  if (folder) hosts = TRY(rules::read_host_documents(*folder, configuration.faults));
  TRY(check_there_is_something(configuration, args, !hosts.empty()));
  config::know_hosts(configuration, hosts.size());

  model::Verdict verdict;
  verdict.job = summary_of(configuration, hosts.size());
  for (rules::Hit& hit : rules::apply(rules::built_in_rules(), {configuration, hosts}))
    verdict.findings.push_back(std::move(hit.finding));
  Connections connections;
  if (folder) connections = TRY(judge_connections(configuration, *folder, probe.get(), verdict));
  probe.reset();
  flows::HostMatrix& matrix = connections.matrix;
  add_limits(configuration, hosts.size(), verdict);
  const std::vector<std::string> host_names = names_of(hosts);
  if (format == kPageFormat)
    return write_page(std::move(verdict), members_of(connections, true), host_names, args, terminal);

  if (args.has("redact")) {
    std::vector<std::string*> names;
    for (flows::HostMatrix::Line& line : matrix.lines) {
      names.push_back(&line.hosts);
      for (auto& [place, why] : line.why) names.push_back(&why);
    }
    for (std::string& name : connections.host_names) names.push_back(&name);
    report::redact_together(verdict, names, host_names);
  }
  std::string more = format == "text" && !matrix.empty() ? "\n" + flows::to_text(matrix) : "";
  if (format == "text" && connections.probing)
    more += "\n" + probe::to_text(*connections.probing, connections.host_names);
  base::Json members = members_of(connections, !args.has("redact"));
  if (!args.has("fix")) return write_with(members, verdict, format, more, args, terminal);

  const repair::Repair repair =
      repair::find_repair(repair::make_situation(launch_inputs(args.command, args.operands), hosts));
  more += "\n" + (format == "markdown" ? repair::to_markdown(repair) : repair::to_text(repair));
  members["repair"] = repair::to_json(repair);
  const ExitStatus status = TRY(write_with(members, verdict, format, more, args, terminal));
  if (args.has("apply")) TRY(apply_repair(repair, std::string(kFolderOfVariables), terminal));
  return status;
}

constexpr std::string_view kFormats[] = {"text", "json", "markdown", "sarif", "html"};

constexpr std::string_view kProbeVias[] = {"ssh", "srun", "mpirun", "kubectl", "hand"};

constexpr Flag kFlags[] = {
    {.name = "facts",
     .value_name = "DIR",
     .help = "Facts of the job's hosts, one JSON file each",
     .kind = ValueKind::kFolder},
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
     .choices = kFormats,
     .default_value = "text"},
    kOutFlag,
    kVerdictFlags[2],
};

constexpr std::string_view kDescription[] = {
    "Decides from the configuration, before anything runs, whether the job can work. It reads the launch "
    "command "
    "(torchrun, accelerate, deepspeed, horovodrun, mpirun, srun, docker run), its environment, and files: "
    "shell and "
    "sbatch scripts, host files, accelerate and DeepSpeed configurations, TF_CONFIG, Kubernetes manifests, "
    "compose "
    "files. With the facts of the hosts it also compares interfaces, names, versions, limits and devices.",
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

constexpr Example kExamples[] = {
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
    .usage = "check [FILE...] [flags] [-- CMD...]",
    .description = kDescription,
    .examples = kExamples,
    .operands = {.name = "FILE",
                 .min = 0,
                 .max = Operands::kAnyNumber,
                 .help = "Scripts, host files, configurations and manifests that start the job",
                 .kind = ValueKind::kFile},
    .command = TakesCommand::kMay,
    .flags = kFlags,
    .globals = {.json = true, .color = true},
    .run = run,
};

}  // namespace lockstep::cli
