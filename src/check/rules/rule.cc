#include "check/rules/rule.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::rules {
namespace {

using base::Json;

Error wrong(std::string_view where, std::string why) {
  return {"cannot use rule", std::string(where), std::move(why), ""};
}

constexpr std::string_view kMembers[] = {"id",    "code", "leaf", "severity", "basis",   "for",   "when",
                                         "title", "says", "sees", "fix",      "sources", "fails", "passes"};

Result<std::string> text_of(const Json& entry, const char* name, std::string_view where) {
  const auto member = entry.find(name);
  if (member == entry.end() || !member->is_string() || member->get_ref<const std::string&>().empty())
    return wrong(where, fmt::format("has no {}", name));
  return member->get<std::string>();
}

template <typename T>
Result<T> one_of(const std::string& word, std::initializer_list<std::pair<const char*, T>> choices,
                 std::string_view where) {
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
  }
  return wrong(where, fmt::format("'{}' is not a word it may use there", word));
}

Result<Wording> wording_of(std::string_view text, std::string_view where) {
  Wording wording;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    if (open > 0) wording.parts.push_back({std::string(text.substr(0, open)), std::nullopt});
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return wrong(where, "a brace is not closed");
    Expression expression = TRY(Expression::parse(text.substr(open + 1, close - open - 1), where));
    wording.parts.push_back({"", std::move(expression)});
    text.remove_prefix(close + 1);
  }
  return wording;
}

std::vector<std::string> texts_in(const Json& entry, const char* name) {
  std::vector<std::string> texts;
  const auto list = entry.find(name);
  if (list == entry.end() || !list->is_array()) return texts;
  for (const Json& item : *list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

Result<void> read_fix(const Json& entry, Rule& rule, std::string_view where) {
  const auto fix = entry.find("fix");
  if (fix == entry.end() || !fix->is_object()) return wrong(where, "has no fix");
  const std::string pattern_id = TRY(text_of(*fix, "pattern", where));
  const auto pattern = model::fix_pattern_with_id(pattern_id);
  if (!pattern) return wrong(where, "its fix has a pattern that is not one of the study's");
  rule.fix.pattern = *pattern;
  rule.fix.title = TRY(text_of(*fix, "title", where));
  rule.fix.steps = texts_in(*fix, "steps");
  for (const std::string& command : texts_in(*fix, "commands"))
    rule.fix_commands.push_back(TRY(wording_of(command, where)));
  return {};
}

// What kind of fault it is, how sure, and about what.
Result<void> read_kind(const Json& entry, Rule& rule, std::string_view where) {
  const std::string leaf_id = TRY(text_of(entry, "leaf", where));
  const auto leaf = model::leaf_with_id(leaf_id);
  if (!leaf) return wrong(where, "has a leaf that is not one of the 30");
  rule.leaf = *leaf;
  const std::string severity = TRY(text_of(entry, "severity", where));
  rule.severity =
      TRY(one_of<Severity>(severity, {{"error", Severity::kError}, {"warning", Severity::kWarning}}, where));
  const std::string basis = TRY(text_of(entry, "basis", where));
  rule.basis = TRY(one_of<Basis>(basis,
                                 {{"source", Basis::kSource},
                                  {"documentation", Basis::kDocumentation},
                                  {"threads", Basis::kThreads},
                                  {"hands_on", Basis::kHandsOn},
                                  {"general", Basis::kGeneral}},
                                 where));
  if (rule.basis == Basis::kGeneral && rule.severity == Severity::kError)
    return wrong(where, "rests on general knowledge, so it can only warn");
  if (!entry.contains("for")) return {};
  const std::string subject = TRY(text_of(entry, "for", where));
  rule.subject = TRY(one_of<Subject>(
      subject, {{"launch", Subject::kLaunch}, {"host", Subject::kHost}, {"job", Subject::kJob}}, where));
  return {};
}

}  // namespace

Result<Rule> decode_rule(const Json& entry, std::string_view where) {
  if (!entry.is_object()) return wrong(where, "is not a rule");
  for (const auto& [name, value] : entry.items()) {
    if (std::ranges::find(kMembers, name) == std::end(kMembers))
      return wrong(where, fmt::format("has a member '{}' that no rule has", name));
  }
  const std::string when = TRY(text_of(entry, "when", where));
  Rule rule{.when = TRY(Expression::parse(when, where))};
  rule.id = TRY(text_of(entry, "id", where));
  rule.code = TRY(text_of(entry, "code", where));
  TRY(read_kind(entry, rule, where));
  const std::string title = TRY(text_of(entry, "title", where));
  rule.title = TRY(wording_of(title, where));
  const std::string says = TRY(text_of(entry, "says", where));
  rule.says = TRY(wording_of(says, where));
  if (entry.contains("sees")) {
    const std::string sees = TRY(text_of(entry, "sees", where));
    rule.sees = TRY(wording_of(sees, where));
  }
  TRY(read_fix(entry, rule, where));
  rule.sources = texts_in(entry, "sources");
  return rule;
}

// Confidences, from 0 to 1, by what a rule rests on: a source or a document says it, threads of users say it,
// or it is general knowledge. Held by the case check/a_batch_script_with_lines.
double confidence_of(const Rule& rule) {
  constexpr double kErrorBySource = 0.95;
  constexpr double kErrorByThreads = 0.9;
  constexpr double kWarning = 0.6;
  constexpr double kGeneralWarning = 0.4;
  if (rule.severity == Severity::kError)
    return rule.basis == Basis::kThreads ? kErrorByThreads : kErrorBySource;
  return rule.basis == Basis::kGeneral ? kGeneralWarning : kWarning;
}

}  // namespace lockstep::rules
