#include "catalogue/decode.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include <fmt/format.h>

#include "catalogue/symptom.h"
#include "catalogue/version_range.h"

namespace lockstep::catalogue {
namespace {

using base::Json;

// One mapping of a catalogue file, with the path to it for the errors.
class Entry {
 public:
  Entry(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  Error fault(std::string_view member, std::string why) const {
    return {"cannot use catalogue entry", fmt::format("{}: {}", where_, member), std::move(why), ""};
  }

  Result<void> check_members(std::initializer_list<std::string_view> known) const {
    if (!json_.is_object()) return fault("entry", "must be a mapping");
    for (const auto& [name, value] : json_.items()) {
      if (std::ranges::find(known, name) == known.end()) return fault(name, "is not a member of this entry");
    }
    return {};
  }

  bool has(const char* member) const { return json_.contains(member); }
  const Json& at(const char* member) const { return json_.at(member); }
  const std::string& where() const { return where_; }

  Result<std::string> text(const char* member) const {
    if (!has(member)) return std::string();
    if (!at(member).is_string()) return fault(member, "must be text");
    std::string text = at(member).get<std::string>();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  Result<std::string> needed_text(const char* member) const {
    std::string value = TRY(text(member));
    if (value.empty()) return fault(member, "is missing");
    return value;
  }

  // A list of texts; one text alone is a list of one.
  Result<std::vector<std::string>> texts(const char* member) const {
    std::vector<std::string> all;
    if (!has(member)) return all;
    const Json& value = at(member);
    if (value.is_string()) return std::vector{value.get<std::string>()};
    if (!value.is_array()) return fault(member, "must be a list");
    for (const Json& item : value) {
      if (!item.is_string()) return fault(member, "must hold texts");
      all.push_back(item.get<std::string>());
    }
    return all;
  }

  // The member's word as a value of `named`, or `otherwise` when it is absent.
  template <typename Value>
  Result<Value> word(const char* member, std::optional<Value> (*named)(std::string_view),
                     Value otherwise) const {
    const std::string text = TRY(this->text(member));
    if (text.empty()) return otherwise;
    const std::optional<Value> value = named(text);
    if (!value) return fault(member, fmt::format("'{}' is no such word", text));
    return *value;
  }

  Result<std::size_t> count(const char* member, std::size_t otherwise) const {
    const std::string text = TRY(this->text(member));
    if (text.empty()) return otherwise;
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size() || number == 0)
      return this->fault(member, "must be a whole number from 1");
    return number;
  }

  Result<std::vector<Condition>> conditions(const char* member) const {
    std::vector<Condition> all;
    for (const std::string& text : TRY(texts(member))) {
      const std::optional<Condition> condition = condition_from(text);
      if (!condition) return fault(member, fmt::format("'{}' is no condition", text));
      all.push_back(*condition);
    }
    return all;
  }

 private:
  const Json& json_;
  std::string where_;
};

Result<model::Fix> decode_fix(const Json& json, const Recipes& recipes, const std::string& where) {
  if (json.is_string()) {
    const auto recipe = recipes.find(json.get<std::string>());
    if (recipe != recipes.end()) return recipe->second;
    return Entry(json, where)
        .fault("fixes", fmt::format("no recipe is called '{}'", json.get<std::string>()));
  }
  const Entry entry(json, where);
  TRY(entry.check_members({"pattern", "title", "steps", "commands", "only_for"}));
  const std::string pattern = TRY(entry.needed_text("pattern"));
  const auto known = model::fix_pattern_with_id(pattern);
  if (!known) return entry.fault("pattern", fmt::format("'{}' is no fix pattern", pattern));
  model::Fix fix;
  fix.pattern = *known;
  fix.title = TRY(entry.needed_text("title"));
  fix.steps = TRY(entry.texts("steps"));
  fix.commands = TRY(entry.texts("commands"));
  fix.only_for = TRY(entry.texts("only_for"));
  return fix;
}

Result<std::vector<model::Fix>> fixes_in(const Entry& entry, const char* member, const Recipes& recipes) {
  if (!entry.has(member)) return std::vector<model::Fix>{};
  if (!entry.at(member).is_array()) return entry.fault(member, "must be a list");
  return decode_fixes(entry.at(member), recipes, entry.where());
}

Result<model::Leaf> decode_leaf(const Entry& entry) {
  const std::string id = TRY(entry.needed_text("leaf"));
  const auto leaf = model::leaf_with_id(id);
  if (!leaf) return entry.fault("leaf", fmt::format("'{}' is no leaf", id));
  return *leaf;
}

Result<Pattern> decode_pattern(const Json& json, const Pattern& usual, const std::string& where) {
  Pattern pattern = usual;
  if (json.is_string()) {
    pattern.regex = json.get<std::string>();
    return pattern;
  }
  const Entry entry(json, where);
  TRY(entry.check_members({"regex", "unless", "role", "strength", "framework", "versions", "when", "at_least",
                           "only_as_last_line"}));
  pattern.regex = TRY(entry.needed_text("regex"));
  pattern.unless = TRY(entry.text("unless"));
  pattern.role = TRY(entry.word("role", role_named, usual.role));
  pattern.strength = TRY(entry.word("strength", strength_named, usual.strength));
  pattern.framework = TRY(entry.text("framework"));
  pattern.versions = TRY(entry.text("versions"));
  if (!pattern.versions.empty() && !VersionRange::parse(pattern.versions))
    return entry.fault("versions", fmt::format("'{}' is no range such as '>=1.8,<2.3'", pattern.versions));
  if (!pattern.versions.empty() && pattern.framework.empty())
    return entry.fault("versions", "need the framework whose versions they are");
  pattern.when = TRY(entry.conditions("when"));
  pattern.at_least = TRY(entry.count("at_least", usual.at_least));
  pattern.only_as_last_line = TRY(entry.text("only_as_last_line")) == "true";
  return pattern;
}

Result<Variant> decode_variant(const Json& json, const Recipes& recipes, const std::string& where) {
  const Entry entry(json, where);
  TRY(entry.check_members({"when", "leaf", "scope", "strength", "title", "fixes"}));
  Variant variant;
  variant.when = TRY(entry.conditions("when"));
  if (variant.when.empty()) return entry.fault("when", "is missing");
  if (entry.has("leaf")) variant.leaf = TRY(decode_leaf(entry));
  if (entry.has("scope")) variant.scope = TRY(entry.word("scope", scope_named, model::Scope::kUnknown));
  if (entry.has("strength"))
    variant.strength = TRY(entry.word("strength", strength_named, Strength::kStrong));
  variant.title = TRY(entry.text("title"));
  variant.fixes = TRY(fixes_in(entry, "fixes", recipes));
  return variant;
}

Result<std::vector<Pattern>> decode_patterns(const Entry& entry) {
  Pattern usual;
  usual.role = TRY(entry.word("role", role_named, Role::kOrigin));
  usual.strength = TRY(entry.word("strength", strength_named, Strength::kStrong));
  if (!entry.has("patterns") || !entry.at("patterns").is_array())
    return entry.fault("patterns", "must be a list");
  std::vector<Pattern> patterns;
  int number = 0;
  for (const Json& item : entry.at("patterns")) {
    const std::string where = fmt::format("{}: patterns[{}]", entry.where(), number++);
    patterns.push_back(TRY(decode_pattern(item, usual, where)));
  }
  return patterns;
}

Result<std::vector<Variant>> decode_variants(const Entry& entry, const Recipes& recipes) {
  std::vector<Variant> variants;
  if (!entry.has("variants")) return variants;
  if (!entry.at("variants").is_array()) return entry.fault("variants", "must be a list");
  int number = 0;
  for (const Json& item : entry.at("variants")) {
    const std::string where = fmt::format("{}: variants[{}]", entry.where(), number++);
    variants.push_back(TRY(decode_variant(item, recipes, where)));
  }
  return variants;
}

}  // namespace

Result<Symptom> decode_symptom(const Json& json, const Recipes& recipes, std::string_view where) {
  const Entry entry(json, std::string(where));
  TRY(entry.check_members({"code", "title", "leaf", "scope", "scope_rule", "printed_by", "role", "strength",
                           "patterns", "variants", "meaning", "causes", "fixes", "rank_fixes", "remedy",
                           "references", "matches", "misses"}));
  Symptom symptom;
  symptom.code = TRY(entry.needed_text("code"));
  symptom.title = TRY(entry.needed_text("title"));
  symptom.leaf = TRY(decode_leaf(entry));
  symptom.scope = TRY(entry.word("scope", scope_named, model::Scope::kUnknown));
  const std::string rule = TRY(entry.text("scope_rule"));
  if (!rule.empty() && rule != "by_ranks" && rule != "by_nature")
    return entry.fault("scope_rule", "can only be by_ranks or by_nature");
  if (rule == "by_ranks") symptom.scope_rule = ScopeRule::kByRanks;
  if (rule == "by_nature") symptom.scope_rule = ScopeRule::kByNature;
  const std::string printed_by = TRY(entry.text("printed_by"));
  if (!printed_by.empty() && printed_by != "victims" && printed_by != "either")
    return entry.fault("printed_by", "can only be victims or either");
  if (printed_by == "victims") symptom.printer = Printer::kVictim;
  if (printed_by == "either") symptom.printer = Printer::kEither;
  symptom.patterns = TRY(decode_patterns(entry));
  symptom.variants = TRY(decode_variants(entry, recipes));
  symptom.meaning = TRY(entry.needed_text("meaning"));
  symptom.causes = TRY(entry.texts("causes"));
  symptom.fixes = TRY(fixes_in(entry, "fixes", recipes));
  symptom.rank_fixes = TRY(fixes_in(entry, "rank_fixes", recipes));
  if (entry.has("remedy")) symptom.remedy = TRY(entry.word("remedy", remedy_named, Remedy::kNone));
  symptom.references = TRY(entry.texts("references"));
  symptom.matches = TRY(entry.texts("matches"));
  symptom.misses = TRY(entry.texts("misses"));
  return symptom;
}

Result<std::vector<model::Fix>> decode_fixes(const Json& json, const Recipes& recipes,
                                             std::string_view where) {
  std::vector<model::Fix> fixes;
  for (const Json& item : json) fixes.push_back(TRY(decode_fix(item, recipes, std::string(where))));
  return fixes;
}

Result<FamilyRemedies> decode_remedies(const Json& json, std::string_view where) {
  const Entry entry(json, std::string(where));
  if (!json.is_object()) return entry.fault("remedies", "must be a mapping");
  FamilyRemedies remedies;
  for (const auto& [family, word] : json.items())
    remedies.emplace(family, TRY(entry.word(family.c_str(), remedy_named, Remedy::kNone)));
  return remedies;
}

Result<std::vector<Fact>> decode_facts(const Json& json, std::string_view where) {
  if (!json.is_object()) return Entry(json, std::string(where)).fault("facts", "must be a mapping");
  std::vector<Fact> facts;
  for (const auto& [name, value] : json.items()) {
    const Entry entry(value, fmt::format("{}: {}", where, name));
    TRY(entry.check_members({"patterns", "matches", "misses"}));
    Fact fact;
    fact.name = name;
    fact.regexes = TRY(entry.texts("patterns"));
    fact.matches = TRY(entry.texts("matches"));
    fact.misses = TRY(entry.texts("misses"));
    facts.push_back(std::move(fact));
  }
  return facts;
}

Result<Recipes> decode_recipes(const Json& json, std::string_view where) {
  if (!json.is_object()) return Entry(json, std::string(where)).fault("recipes", "must be a mapping");
  Recipes recipes;
  for (const auto& [name, value] : json.items())
    recipes.emplace(name, TRY(decode_fix(value, {}, fmt::format("{}: {}", where, name))));
  return recipes;
}

}  // namespace lockstep::catalogue
