#include <fmt/format.h>

#include "base/json.h"
#include "check/rules/catalogue.h"
#include "check/rules/judge.h"
#include "config/files/shell_words.h"

namespace lockstep::rules {
namespace {

using base::Json;

// YAML gives every scalar as text; facts have truth values.
Json with_truth_values(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text == "true" || text == "false") return text == "true";
    return value;
  }
  Json result = value;
  if (result.is_structured()) {
    for (Json& child : result) child = with_truth_values(child);
  }
  return result;
}

const Json& member_of(const Json& sample, const char* name) {
  static const Json kNone = Json::object();
  if (!sample.is_object()) return kNone;
  const auto member = sample.find(name);
  return member != sample.end() && member->is_structured() ? *member : kNone;
}

config::Inputs inputs_of(const Json& sample) {
  config::Inputs inputs;
  const std::string command = base::text_at(sample, "command");
  config::ShellWords words(command, [](const std::string&) { return std::nullopt; });
  if (const auto first = words.next()) inputs.command = first->words;
  for (const auto& [name, value] : member_of(sample, "env").items())
    inputs.environment[name] = value.is_string() ? value.get<std::string>() : "";
  const Json files = member_of(sample, "files");
  for (const auto& [name, text] : files.items()) inputs.files.push_back(name);
  inputs.read_file =
      [files, named = member_of(sample, "named_files")](const std::string& path) -> Result<std::string> {
    for (const Json* known : {&files, &named}) {
      if (known->is_object() && known->contains(path)) return base::text_at(*known, path.c_str());
    }
    return Error{"cannot read", path, "the sample has no such file", ""};
  };
  return inputs;
}

std::vector<HostDocument> hosts_of(const Json& sample) {
  std::vector<HostDocument> hosts;
  for (const Json& host : member_of(sample, "hosts")) {
    HostDocument document{fmt::format("host{}.json", hosts.size()), with_truth_values(host)};
    if (!document.facts.is_object()) continue;
    if (!document.facts.contains("host")) document.facts["host"] = fmt::format("node{}", hosts.size());
    hosts.push_back(std::move(document));
  }
  return hosts;
}

bool is_hit(const Rule& rule, const Json& sample) {
  config::Configuration configuration = config::read_configuration(inputs_of(sample));
  const std::vector<HostDocument> hosts = hosts_of(sample);
  config::know_hosts(configuration, hosts.size());
  return !apply({&rule, 1}, {configuration, hosts}).empty();
}

void check_samples(const Json& entry, const Rule& rule, const char* kind, bool wanted,
                   std::vector<std::string>& faults) {
  const auto samples = entry.find(kind);
  if (samples == entry.end() || !samples->is_array() || samples->empty()) {
    faults.push_back(fmt::format("{}: has no sample in '{}'", rule.id, kind));
    return;
  }
  for (std::size_t i = 0; i < samples->size(); ++i) {
    if (is_hit(rule, (*samples)[i]) == wanted) continue;
    faults.push_back(fmt::format("{}: sample {} of '{}' {}", rule.id, i + 1, kind,
                                 wanted ? "is not found by the rule" : "is found by the rule"));
  }
}

}  // namespace

std::vector<std::string> sample_faults(const Json& entries) {
  std::vector<std::string> faults;
  for (const Json& entry : entries) {
    const auto rule = decode_rule(entry, base::text_at(entry, "id"));
    if (!rule.ok()) {
      faults.push_back(fmt::format("{}: {} {}", rule.error().where, rule.error().why, rule.error().hint));
      continue;
    }
    check_samples(entry, rule.value(), "fails", true, faults);
    check_samples(entry, rule.value(), "passes", false, faults);
  }
  return faults;
}

}  // namespace lockstep::rules
