#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/json.h"
#include "report/findings_json.h"
#include "report/format.h"
#include "report/lines.h"
#include "report/phrases.h"

namespace lockstep::report {
namespace {

using base::Json;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += text.empty() ? line : '\n' + line;
  return text;
}

// In a SARIF message "[text](target)" is a link, and only the two characters together make it one.
Json message(std::string text) {
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at)) {
    text.insert(at + 1, " ");
  }
  Json json = Json::object();
  json["text"] = std::move(text);
  return json;
}

std::string_view level_of(double confidence) {
  if (confidence >= 0.8) return "error";
  if (confidence >= 0.5) return "warning";
  return "note";
}

// Code scanning services demand a start line; without one the evidence is the whole file, from line 1.
Json physical_location(const model::Evidence& evidence) {
  Json json = Json::object();
  json["artifactLocation"]["uri"] = file_uri(evidence.file);
  json["region"]["startLine"] = std::max<std::int64_t>(1, evidence.line.value_or(1));
  json["region"]["snippet"]["text"] = joined(excerpt(evidence.text));
  return json;
}

Json location(const model::Evidence& evidence) {
  const std::string origin = describe_origin(evidence);
  const std::string text = joined(excerpt(evidence.text));
  Json json = Json::object();
  if (!evidence.file.empty()) json["physicalLocation"] = physical_location(evidence);
  json["message"] = message(origin.empty() ? text : fmt::format("{}: {}", origin, text));
  return json;
}

bool has_file(const model::Evidence& evidence) {
  return !evidence.file.empty();
}

void add_locations(Json& result, const std::vector<model::Evidence>& evidence) {
  result["locations"] = Json::array();
  result["relatedLocations"] = Json::array();
  const auto primary = std::ranges::find_if(evidence, has_file);
  if (primary != evidence.end()) result["locations"].push_back(location(*primary));
  for (auto piece = evidence.begin(); piece != evidence.end(); ++piece) {
    if (piece == primary) continue;
    Json related = Json::object();
    related["id"] = result["relatedLocations"].size() + 1;
    related.update(location(*piece));
    result["relatedLocations"].push_back(std::move(related));
  }
}

std::string fix_in_words(std::size_t number, const model::Fix& fix) {
  std::string text = fmt::format("Fix {}: {}", number, base::escape_for_terminal(fix.title));
  for (const std::string& step : fix.steps) text += fmt::format("\n- {}", base::escape_for_terminal(step));
  for (const std::string& command : fix.commands) {
    text += fmt::format("\n    {}", joined(escaped_lines(command)));
  }
  return text;
}

std::string finding_in_words(const model::Finding& finding) {
  std::string text = base::escape_for_terminal(finding.title);
  const std::string who = describe_who(finding);
  if (!who.empty()) text += fmt::format(" ({})", who);
  if (!finding.explanation.empty()) text += fmt::format("\n{}", joined(escaped_lines(finding.explanation)));
  std::size_t number = 0;
  for (const model::Fix& fix : finding.fixes) text += fmt::format("\n{}", fix_in_words(++number, fix));
  return text;
}

Json properties(const model::Finding& finding) {
  Json json = Json::object();
  json["leaf"] = model::entry_of(finding.leaf).id;
  json["scope"] = id_of(finding.scope);
  json["confidence"] = bounded_confidence(finding.confidence);
  json["root_ranks"] = finding.root_ranks;
  json["victim_ranks"] = finding.victim_ranks;
  json["fix_patterns"] = Json::array();
  for (const model::Fix& fix : finding.fixes) json["fix_patterns"].push_back(model::id_of(fix.pattern));
  return json;
}

Json rule(const model::Finding& finding) {
  const model::LeafEntry& leaf = model::entry_of(finding.leaf);
  const std::string code = describe_code(finding);
  Json json = Json::object();
  json["id"] = code;
  json["shortDescription"] = message(fmt::format("{}: {}", leaf.name, code));
  json["fullDescription"] = message(fmt::format("{} ({}, {})", leaf.name, leaf.id, leaf.study_code));
  json["help"] = message(fmt::format("lockstep explain {}", code));
  json["properties"]["leaf"] = leaf.id;
  return json;
}

// The place of the finding's rule among `rules`, which grows by it if it is new.
std::size_t index_of_rule(Json& rules, const model::Finding& finding) {
  const std::string code = describe_code(finding);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i]["id"] == code) return i;
  }
  rules.push_back(rule(finding));
  return rules.size() - 1;
}

Json result(const model::Finding& finding, std::size_t rule_index) {
  Json json = Json::object();
  json["ruleId"] = describe_code(finding);
  json["ruleIndex"] = rule_index;
  json["level"] = level_of(bounded_confidence(finding.confidence));
  json["message"] = message(finding_in_words(finding));
  add_locations(json, finding.evidence);
  json["properties"] = properties(finding);
  return json;
}

Json invocation(const model::Verdict& verdict) {
  Json json = Json::object();
  json["executionSuccessful"] = true;
  json["toolExecutionNotifications"] = Json::array();
  for (const std::string& limit : verdict.limits) {
    Json notification = Json::object();
    notification["level"] = "note";
    notification["message"] = message(base::escape_for_terminal(limit));
    json["toolExecutionNotifications"].push_back(std::move(notification));
  }
  return json;
}

bool stays_in_a_uri(char c) {
  const bool is_alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_alphanumeric || std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

std::string file_uri(std::string_view file) {
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : file) {
    if (stays_in_a_uri(c)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<std::uint8_t>(c));
    }
  }
  return uri;
}

std::string render_sarif(const model::Verdict& verdict, std::string_view tool_version) {
  Json rules = Json::array();
  Json results = Json::array();
  for (const model::Finding& finding : verdict.findings) {
    const std::size_t rule_index = index_of_rule(rules, finding);
    results.push_back(result(finding, rule_index));
  }
  Json run = Json::object();
  run["tool"]["driver"]["name"] = "Lockstep";
  run["tool"]["driver"]["version"] = tool_version;
  run["tool"]["driver"]["rules"] = std::move(rules);
  run["invocations"] = Json::array({invocation(verdict)});
  run["results"] = std::move(results);
  Json json = Json::object();
  json["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  json["version"] = "2.1.0";
  json["runs"] = Json::array({std::move(run)});
  return to_printable_text(json);
}

}  // namespace lockstep::report
