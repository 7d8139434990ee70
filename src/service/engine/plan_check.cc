#include "service/engine/plan_check.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text_fields.h"
#include "check/repair/repair.h"
#include "check/rules/catalogue.h"
#include "check/rules/judge.h"
#include "hostinfo/collect/collect.h"
#include "hostinfo/facts_json.h"
#include "report/findings_json.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/rank_environment.h"

namespace lockstep::service {

namespace {

constexpr std::size_t kLargestLaunchFile = std::size_t{8} << 20;

}  // namespace

config::Inputs inputs_of(const Plan& plan, const std::vector<std::string>& environment) {
  config::Inputs inputs;
  inputs.command = plan.command;
  for (const std::string& entry : with_rank(environment, plan, 0)) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos)
      inputs.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  inputs.read_file = [directory = std::filesystem::path(plan.directory)](const std::string& path) {
    return base::read_file(directory / path, kLargestLaunchFile);
  };
  return inputs;
}

std::string check_plan(const Plan& plan, const std::vector<std::string>& environment) {
  const config::Configuration configuration = config::read_configuration(inputs_of(plan, environment));
  model::Verdict verdict;
  verdict.job.world_size = plan.workers;
  if (plan.framework != Framework::kPlain) verdict.job.framework = word_for(plan.framework);
  for (rules::Hit& hit : rules::apply(rules::built_in_rules(), {configuration, {}}))
    verdict.findings.push_back(std::move(hit.finding));
  for (const config::Fault& fault : configuration.faults) {
    verdict.limits.push_back(
        fmt::format("{}: {}", fault.file.empty() ? "the command" : fault.file, fault.why));
  }
  return report::encode_findings(verdict);
}

namespace {

namespace fs = std::filesystem;

// "file:///a/b" anywhere in a word: an argument, or the value of a variable.
void put_away(std::string_view word, std::vector<std::string>& done) {
  const std::string_view path = base::word_after(word, "file://", std::string_view("?,; \t"));
  if (!path.starts_with('/')) return;
  const fs::path file(path);
  std::error_code fault;
  if (!fs::is_regular_file(file, fault) || fs::file_size(file, fault) == 0 || fault) return;
  fs::rename(file, file.string() + ".stale", fault);
  if (!fault) done.push_back(file.string());
}

}  // namespace

std::vector<std::string> put_away_stale_meetings(const Plan& plan,
                                                 const std::vector<std::string>& environment) {
  std::vector<std::string> done;
  for (const std::string& word : plan.command) put_away(word, done);
  for (const std::string& entry : environment) {
    // Only where a meeting place is named: other variables may name data.
    if (base::word_of(entry, '=').find("INIT_METHOD") != std::string_view::npos) put_away(entry, done);
  }
  return done;
}

namespace {

constexpr std::size_t kLargestFacts = std::size_t{16} << 20;
// What differs from node to node among the variables of the ranks.
constexpr const char* kOfTheNode[] = {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "HOROVOD_GLOO_IFACE"};

std::string interpreter_of(const Plan& plan) {
  const std::string& program = plan.command.front();
  return program.find("python") != std::string::npos ? program : "";
}

std::string variable_of(const std::vector<std::string>& environment, const std::string& name) {
  const std::string start = name + "=";
  const auto found =
      std::ranges::find_if(environment, [&](const std::string& one) { return one.starts_with(start); });
  return found == environment.end() ? "" : found->substr(start.size());
}

std::vector<rules::HostDocument> documents_of(const AttemptFolder& folder, const Plan& plan) {
  std::vector<rules::HostDocument> documents;
  for (int node = 0; node < plan.nodes; ++node) {
    const auto text = base::read_file(folder.node_facts(node), kLargestFacts);
    if (!text.ok()) return {};
    auto facts = base::parse_json(text.value(), "facts");
    if (!facts.ok()) return {};
    documents.push_back({folder.node_facts(node).string(), std::move(facts).value()});
  }
  return documents;
}

// Each host has the variables of its ranks, which the facts of the node itself do not tell.
void give_own_variables(repair::Situation& situation, const Plan& plan,
                        const std::vector<std::string>& environment) {
  const int nodes = static_cast<int>(situation.hosts.size());
  for (int node = 0; node < nodes; ++node) {
    const std::vector<std::string> own =
        with_rank(environment, plan, first_rank_on(node, plan.workers, plan.nodes));
    hostinfo::HostFacts& facts = situation.hosts[static_cast<std::size_t>(node)];
    facts.environment.clear();
    for (const char* name : kOfTheNode) {
      if (const std::string value = variable_of(own, name); !value.empty()) facts.environment[name] = value;
    }
    situation.renew_document(static_cast<std::size_t>(node));
  }
  for (const char* name : kOfTheNode) situation.inputs.environment.erase(name);
}

std::optional<std::string> without_secret(const std::string& name, const std::optional<std::string>& value) {
  if (!value || !hostinfo::is_secret(name, *value)) return value;
  return std::string(hostinfo::kMasked);
}

// A change that all nodes get is one.
void add_variable(const repair::HostChange& change, const repair::Repair& all, std::size_t hosts,
                  SetUpRepair& made) {
  const auto same = std::ranges::count_if(all.hosts, [&](const repair::HostChange& other) {
    return other.variable == change.variable && other.value == change.value;
  });
  const bool is_everywhere = static_cast<std::size_t>(same) == hosts;
  const SetUpRepair::Change wanted{change.variable, without_secret(change.variable, change.value_before),
                                   change.value, is_everywhere ? "" : change.host};
  const bool is_there = std::ranges::any_of(made.changes, [&](const SetUpRepair::Change& other) {
    return other.variable == wanted.variable && other.node == wanted.node;
  });
  if (!is_there) made.changes.push_back(wanted);
}

SetUpRepair as_the_jobs_own(const repair::Repair& found, const Plan& plan, std::size_t hosts) {
  SetUpRepair made;
  made.command = found.command;
  for (const repair::HostChange& change : found.hosts) {
    if (change.kind != repair::EditKind::kEnvironment) {
      made.outside.push_back(fmt::format("on {}: {}", change.host, change.command));
    } else if (!is_the_services_own(plan, change.variable)) {
      add_variable(change, found, hosts, made);
    }
  }
  for (const repair::FileChange& file : found.files)
    made.outside.push_back(fmt::format("in {}, which is the user's", file.file));
  for (const repair::Cause& cause : found.mended) {
    made.codes.push_back(cause.code);
    made.because.push_back(cause.rule.empty() ? cause.title
                                              : fmt::format("rule {}: {}", cause.rule, cause.title));
  }
  return made;
}

}  // namespace

Result<void> keep_facts(const AttemptFolder& folder, const Plan& plan, int node) {
  std::vector<std::string> names;
  for (const NodePlace& place : plan.places) names.push_back(place.name);
  hostinfo::HostFacts facts = hostinfo::collect(
      {.names = std::move(names), .python = interpreter_of(plan), .program = "lockstep serve"});
  if (!plan.places.empty()) facts.name = plan.places[static_cast<std::size_t>(node)].name;
  std::error_code ignored;
  std::filesystem::create_directories(folder.nodes(), ignored);
  return base::write_file(folder.node_facts(node), hostinfo::encode_facts(facts));
}

SetUpRepair repair_for(const AttemptFolder& folder, const Plan& plan,
                       const std::vector<std::string>& environment) {
  Plan placed = plan;
  if (plan.is_on_cluster()) placed.places = places_told(folder, plan.nodes);
  const bool are_placed = !plan.is_on_cluster() || static_cast<int>(placed.places.size()) == plan.nodes;
  std::vector<rules::HostDocument> documents = documents_of(folder, plan);
  if (documents.empty() || !are_placed) return {};
  repair::Situation situation = repair::make_situation(inputs_of(placed, environment), std::move(documents));
  const std::size_t hosts = situation.hosts.size();
  if (static_cast<int>(hosts) != plan.nodes) return {};
  if (hosts > 1) give_own_variables(situation, placed, environment);
  return as_the_jobs_own(repair::find_repair(situation), placed, hosts);
}

Result<void> write_set_up_repair(const AttemptFolder& folder, const SetUpRepair& repair) {
  return base::write_file(folder.repair(),
                          base::to_text(encode_set_up_repair(repair), base::JsonLayout::kIndented));
}

Result<SetUpRepair> read_set_up_repair(const AttemptFolder& folder) {
  return TRY(read_record<SetUpRepair>(folder.repair(), kLargestFacts, decode_set_up_repair))
      .value_or(SetUpRepair{});
}

}  // namespace lockstep::service
