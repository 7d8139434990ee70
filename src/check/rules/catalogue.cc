#include "check/rules/catalogue.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/yaml.h"
#include "check/rules/judge.h"
#include "config/files/shell_script.h"

namespace lockstep::rules {
namespace {

namespace fs = std::filesystem;
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
  inputs.command = config::words_of_line(command);
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

// Bytes of a file; a rule is a page of text.
constexpr std::size_t kMaxEntryBytes = std::size_t{1} << 20;

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

Result<Json> read_rule_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::recursive_directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    if (entry->path().extension() == ".yaml") files.push_back(entry->path());
  }
  if (fault) return Error{"cannot read rules", folder.string(), fault.message(), ""};
  std::ranges::sort(files);
  std::map<std::pair<fs::path, std::string>, Json> by_folder_and_id;
  std::map<std::string, fs::path> file_of_id;
  for (const fs::path& file : files) {
    const std::string text = TRY(base::read_file(file, kMaxEntryBytes));
    Json entry = TRY(base::parse_yaml(text, file.string()));
    const std::string id = base::text_at(entry, "id");
    const auto [other, is_new] = file_of_id.emplace(id, file);
    if (!is_new)
      return Error{"cannot use rule", file.string(),
                   fmt::format("its id '{}' is that of {}", id, other->second.string()), ""};
    by_folder_and_id.emplace(std::pair(file.parent_path(), id), std::move(entry));
  }
  Json entries = Json::array();
  for (auto& [place, entry] : by_folder_and_id) entries.push_back(std::move(entry));
  return entries;
}

Result<std::vector<Rule>> decode_rules(const Json& entries) {
  std::vector<Rule> rules;
  std::set<std::string> ids;
  for (const Json& entry : entries) {
    Rule rule = TRY(decode_rule(entry, base::text_at(entry, "id")));
    if (!ids.insert(rule.id).second) return Error{"cannot use rule", rule.id, "its id is there twice", ""};
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::string pack_rules(const Json& entries) {
  Json packed = Json::array();
  for (Json entry : entries) {
    entry.erase("fails");
    entry.erase("passes");
    packed.push_back(std::move(entry));
  }
  return base::to_text(packed, base::JsonLayout::kOneLine);
}

}  // namespace lockstep::rules
