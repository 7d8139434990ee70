#include "check/repair/situation.h"

#include <algorithm>

#include "check/flows/judge_flows.h"
#include "check/rules/catalogue.h"
#include "hostinfo/facts_json.h"

namespace lockstep::repair {

Result<std::string> Situation::text_of(const std::string& file) const {
  const auto found = edited.find(file);
  if (found != edited.end()) return found->second;
  return inputs.read_file(file);
}

void Situation::renew_document(std::size_t host) {
  auto renewed = base::parse_json(hostinfo::encode_facts(hosts[host]), documents[host].file);
  if (renewed.ok()) documents[host].facts = std::move(renewed).value();
}

Situation make_situation(config::Inputs inputs, std::vector<hostinfo::FactsFile> facts) {
  Situation situation;
  situation.inputs = std::move(inputs);
  for (hostinfo::FactsFile& file : facts) {
    if (file.facts.name.empty()) continue;
    situation.hosts.push_back(std::move(file.facts));
    situation.documents.push_back({std::move(file.file), std::move(file.document)});
  }
  return situation;
}

Situation make_situation(config::Inputs inputs, std::vector<rules::HostDocument> documents) {
  std::vector<hostinfo::FactsFile> files;
  for (rules::HostDocument& document : documents) {
    auto facts = hostinfo::facts_in_document(document.facts, document.file);
    if (facts.ok()) files.push_back({document.file, std::move(document.facts), std::move(facts).value()});
  }
  return make_situation(std::move(inputs), std::move(files));
}

config::Configuration read(const Situation& situation) {
  config::Inputs inputs = situation.inputs;
  inputs.read_file = [&situation](const std::string& path) { return situation.text_of(path); };
  config::Configuration configuration = config::read_configuration(inputs);
  config::know_hosts(configuration, situation.hosts.size());
  return configuration;
}

Judged judge(const Situation& situation) {
  Judged judged;
  judged.configuration = read(situation);
  judged.hits = rules::apply(rules::built_in_rules(), {judged.configuration, situation.documents});
  judged.blocked = flows::judge_flows(judged.configuration, situation.hosts).findings;
  if (situation.hosts.size() > 1 && !judged.configuration.launches.empty())
    judged.plan = flows::plan_flows(judged.configuration.launches, situation.hosts);
  return judged;
}

std::vector<std::string> errors_of(const Judged& judged) {
  std::vector<std::string> titles;
  for (const rules::Hit& hit : judged.hits)
    if (hit.finding.confidence >= kErrorConfidence) titles.push_back(hit.finding.title);
  for (const model::Finding& finding : judged.blocked)
    if (finding.confidence >= kErrorConfidence) titles.push_back(finding.title);
  return titles;
}

}  // namespace lockstep::repair
