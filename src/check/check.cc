#include "check/check.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/process/environment.h"
#include "check/flows/judge_flows.h"
#include "check/probe/judge.h"
#include "check/rules/catalogue.h"
#include "check/rules/judge.h"
#include "check/rules/understood.h"
#include "hostinfo/facts_folder.h"
#include "hostinfo/facts_json.h"
#include "launchers/launcher.h"

namespace lockstep::check {
namespace {

using config::Configuration;
using config::Fields;
using config::LaunchConfig;

constexpr std::size_t kMaxLaunchFileBytes = std::size_t{8} << 20;

// Without a command or a file, the variables of this process must tell of a job.
bool describes_a_job(const LaunchConfig& launch) {
  // Of a launcher that is not read nothing is known.
  const bool is_unread = launch.has(Fields::kUnreadLauncher) && launch.count(Fields::kLaunchers) == 1;
  if (is_unread) return false;
  return launch.has(Fields::kLaunchers) || launch.has(Fields::kContainers) || launch.has(Fields::kHostList) ||
         launch.has(Fields::kDeepspeedConfig) || launch.has(Fields::variable("RANK")) ||
         launch.has(Fields::variable("WORLD_SIZE")) || launch.has(Fields::variable("MASTER_ADDR")) ||
         launch.has(Fields::variable("SLURM_JOB_ID")) || launch.has(Fields::kAccelerate) ||
         launch.has(Fields::kProgram);
}

Result<void> check_there_is_something(const Configuration& configuration, const config::Inputs& inputs,
                                      bool has_facts) {
  if (has_facts || std::ranges::any_of(configuration.launches, describes_a_job)) return {};
  if (!configuration.faults.empty()) {
    const config::Fault& fault = configuration.faults.front();
    return Error{"nothing to check could be read", fault.file, fault.why, ""};
  }
  const bool was_given = !inputs.command.empty() || !inputs.files.empty();
  return Error{
      "there is nothing to check", was_given ? "what was given starts no job" : "", "",
      "give the command that starts the job, as in 'lockstep check -- torchrun train.py', its files, or "
      "--facts"};
}

std::string framework_of(const LaunchConfig& launch) {
  if (launch.has(Fields::kTorchrun) || launch.has(Fields::kDeepspeed) || launch.has(Fields::kAccelerate))
    return "pytorch";
  if (launch.has(Fields::kHorovod)) return "horovod";
  if (launch.has(Fields::kTensorflow)) return "tensorflow";
  if (launch.has(Fields::variable("RANK")) && launch.has(Fields::variable("WORLD_SIZE"))) return "pytorch";
  return launch.has(Fields::kMpi) ? "mpi" : "";
}

model::JobSummary summary_of(const Configuration& configuration, std::size_t hosts_with_facts) {
  model::JobSummary job;
  for (const LaunchConfig& launch : configuration.launches) {
    if (job.framework.empty()) job.framework = framework_of(launch);
    const auto size = launch.number(Fields::kWorldSize);
    if (size && *size > 0 && *size < 1'000'000 && !job.world_size) job.world_size = static_cast<int>(*size);
    const auto nodes = launch.number(Fields::kNodes);
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

std::vector<std::string> names_of(const std::vector<rules::HostDocument>& hosts) {
  std::vector<std::string> names;
  for (const rules::HostDocument& host : hosts) {
    const auto name = host.facts.is_object() ? host.facts.find("host") : host.facts.end();
    if (name != host.facts.end() && name->is_string()) names.push_back(name->get<std::string>());
  }
  return names;
}

// What the job's connections meet on their way from host to host: by rules and routes, and by real packets.
void judge_connections(const Configuration& configuration, const std::vector<hostinfo::HostFacts>& hosts,
                       ProbeSession* probe, CheckResult& result) {
  flows::FlowJudgement judged = flows::judge_flows(configuration, hosts);
  if (probe != nullptr) {
    result.probing = probe->run(configuration, hosts);
    probe::judge(*result.probing, hosts, judged);
    for (const hostinfo::HostFacts& host : hosts) result.probed_hosts.push_back(host.name);
  }
  model::Verdict& verdict = result.verdict;
  verdict.findings.insert(verdict.findings.begin(), judged.findings.begin(), judged.findings.end());
  verdict.limits.insert(verdict.limits.end(), judged.limits.begin(), judged.limits.end());
  result.matrix = std::move(judged.matrix);
}

// The documents for the rules; what could not be read becomes faults of the configuration.
std::vector<rules::HostDocument> documents_of(const hostinfo::FactsFolder& folder,
                                              Configuration& configuration) {
  for (const hostinfo::FactsFault& fault : folder.faults)
    configuration.faults.push_back({fault.file, fault.line, fault.why});
  std::vector<rules::HostDocument> documents;
  for (const hostinfo::FactsFile& file : folder.files) documents.push_back({file.file, file.document});
  return documents;
}

// What wraps a command on this host is looked through by the readers.
bool goes_elsewhere(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    const std::string program = launchers::program_name(word);
    return launchers::runs_elsewhere(program) || launchers::runs_on_cluster(program);
  });
}

bool is_for_this_host(const Configuration& configuration, const config::Inputs& inputs) {
  if (inputs.command.empty() || goes_elsewhere(inputs.command)) return false;
  return std::ranges::none_of(configuration.launches, [](const LaunchConfig& launch) {
    const bool is_known = launch.has(Fields::kLaunchers) || launch.has(Fields::kProgram);
    return !is_known || launch.number(Fields::kNodes).value_or(1) != 1 || launch.has(Fields::kHostList) ||
           launch.has(Fields::kContainers) || launch.has(Fields::kPods) || launch.has(Fields::kSbatch);
  });
}

// The facts as `lockstep facts` would write them, with what only a look from here can tell.
rules::HostDocument document_here(const hostinfo::HostFacts& facts, const Configuration& configuration) {
  rules::HostDocument document{.file = "this host", .facts = {}};
  auto json = base::parse_json(hostinfo::encode_facts(facts), document.file);
  CHECK(json.ok(), "facts that were just written are JSON");
  document.facts = std::move(json).value();
  base::Json missing = base::Json::array();
  for (const LaunchConfig& launch : configuration.launches) {
    std::error_code fault;
    const std::string script = launch.text(Fields::kProgramScript);
    if (!script.empty() && !std::filesystem::exists(script, fault)) missing.push_back(script);
  }
  document.facts["missing_files"] = std::move(missing);
  return document;
}

}  // namespace

Result<CheckResult> check(const CheckRequest& request) {
  Configuration configuration = config::read_configuration(request.inputs);
  std::optional<hostinfo::FactsFolder> facts;
  if (request.facts_folder) facts = TRY(hostinfo::read_facts_folder(*request.facts_folder));
  std::vector<hostinfo::HostFacts> hosts = facts ? facts->hosts() : std::vector<hostinfo::HostFacts>();
  std::unique_ptr<ProbeSession> probe;
  if (request.probe) {
    probe = TRY(ProbeSession::begin(*request.probe, configuration, hosts));
    if (!facts) {
      const std::string folder = TRY(probe->collect_facts());
      facts = TRY(hostinfo::read_facts_folder(folder));
      hosts = facts->hosts();
    }
  }
  std::vector<rules::HostDocument> documents;
  if (facts) {
    documents = documents_of(*facts, configuration);
  } else if (request.facts_here && is_for_this_host(configuration, request.inputs)) {
    documents.push_back(document_here(request.facts_here(), configuration));
  }
  TRY(check_there_is_something(configuration, request.inputs, !documents.empty()));
  config::know_hosts(configuration, documents.size());

  CheckResult result;
  result.verdict.job = summary_of(configuration, documents.size());
  for (rules::Hit& hit : rules::apply(rules::built_in_rules(), {configuration, documents}))
    result.verdict.findings.push_back(std::move(hit.finding));
  if (facts) judge_connections(configuration, hosts, probe.get(), result);
  probe.reset();
  result.understood = rules::understood_lines(configuration);
  result.understood_values = rules::understood_json(configuration);
  add_limits(configuration, documents.size(), result.verdict);
  result.host_names = names_of(documents);
  if (request.wants_repair)
    result.repair = repair::find_repair(repair::make_situation(
        request.inputs, facts ? std::move(facts->files) : std::vector<hostinfo::FactsFile>()));
  return result;
}

config::Inputs launch_inputs(const std::vector<std::string>& command, const std::vector<std::string>& files) {
  config::Inputs inputs;
  inputs.command = command;
  inputs.files = files;
  for (const std::string& entry : process::own_environment()) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos)
      inputs.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  inputs.read_file = [](const std::string& path) { return base::read_file(path, kMaxLaunchFileBytes); };
  return inputs;
}

std::string preflight(const std::vector<std::string>& command) {
  const config::Configuration configuration = config::read_configuration(launch_inputs(command, {}));
  std::string text;
  for (const rules::Hit& hit : rules::apply(rules::built_in_rules(), {configuration, {}})) {
    if (hit.rule->severity != rules::Severity::kError) continue;
    text +=
        fmt::format("lockstep: check: {} [{}]\n", base::escape_for_terminal(hit.finding.title), hit.rule->id);
  }
  if (!text.empty())
    text += "lockstep: check: 'lockstep check -- CMD...' says more; --no-check leaves this out\n";
  return text;
}

}  // namespace lockstep::check
