#include "base/json_schema.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "base/yaml.h"

namespace lockstep::base {
namespace {

constexpr std::string_view kDefinitions = "#/$defs/";

// What describes a schema and asks for nothing.
constexpr std::string_view kDescriptions[] = {"$schema", "$id", "title", "description", "$defs"};
constexpr std::string_view kKeywords[] = {
    "type",  "enum",    "required", "properties", "additionalProperties",
    "items", "pattern", "minItems", "minLength",  "minimum",
    "anyOf", "oneOf",   "$ref"};

struct TypeName {
  std::string_view name;
  std::string_view in_words;
};
constexpr TypeName kTypes[] = {{"string", "a text"},    {"array", "a list"},
                               {"object", "a mapping"}, {"integer", "a whole number"},
                               {"number", "a number"},  {"boolean", "true or false"},
                               {"null", "nothing"}};

bool is_known(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

std::string_view in_words(std::string_view type) {
  const auto found = std::ranges::find(kTypes, type, &TypeName::name);
  return found == std::end(kTypes) ? type : found->in_words;
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  return value.is_number_integer() ||
         (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
}

std::vector<std::string> types_of(const Json& schema) {
  std::vector<std::string> types;
  const auto type = schema.find("type");
  if (type == schema.end()) return types;
  if (type->is_string()) types.push_back(type->get<std::string>());
  if (type->is_array()) {
    for (const Json& one : *type) types.push_back(one.is_string() ? one.get<std::string>() : "");
  }
  return types;
}

bool has_type(const Json& schema, const Json& value) {
  const std::vector<std::string> types = types_of(schema);
  return types.empty() ||
         std::ranges::any_of(types, [&](const std::string& type) { return is_of_type(value, type); });
}

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : to_text(value, JsonLayout::kOneLine);
}

std::string list_of(const Json& values) {
  std::vector<std::string> texts;
  for (const Json& value : values) texts.push_back(shown(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Error refusal(std::string_view where, const std::string& path, std::string why) {
  return {"cannot use schema", fmt::format("{}: {}", where, path.empty() ? "/" : path), std::move(why), ""};
}

// "patterns[0].regex" of "/patterns/0/regex", as its file reads.
std::string field_of(std::string_view path) {
  std::string field;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view step = path.substr(0, path.find('/'));
    path.remove_prefix(step.size());
    const bool is_index = !step.empty() && step.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_index && !field.empty()) {
      field += fmt::format("[{}]", step);
    } else {
      field += field.empty() ? std::string(step) : fmt::format(".{}", step);
    }
  }
  return field;
}

}  // namespace

Result<JsonSchema> JsonSchema::parse(std::string_view text, std::string_view where) {
  JsonSchema schema(TRY(parse_json(text, where)));
  const Json root = schema.root_;
  TRY(schema.prepare(root, "", where));
  if (const auto definitions = root.find("$defs"); definitions != root.end()) {
    for (const auto& [name, one] : definitions->items())
      TRY(schema.prepare(one, fmt::format("/$defs/{}", name), where));
  }
  return schema;
}

// Checks one schema and those inside it, and compiles their patterns.
Result<void> JsonSchema::prepare(const Json& schema, const std::string& path, std::string_view where) {
  if (!schema.is_object()) return refusal(where, path, "must be a mapping");
  for (const auto& [keyword, value] : schema.items()) {
    if (!is_known(kKeywords, keyword) && !is_known(kDescriptions, keyword))
      return refusal(where, path, fmt::format("has the unknown keyword '{}'", keyword));
  }
  for (const char* text : {"pattern", "$ref"}) {
    if (schema.contains(text) && !schema[text].is_string())
      return refusal(where, path, fmt::format("its '{}' must be a text", text));
  }
  for (const std::string& type : types_of(schema)) {
    if (std::ranges::find(kTypes, type, &TypeName::name) == std::end(kTypes))
      return refusal(where, path, fmt::format("'{}' is not a type", type));
  }
  if (const auto pattern = schema.find("pattern"); pattern != schema.end()) {
    const auto text = pattern->get<std::string>();
    patterns_.emplace(text, TRY(Regex::compile("(?-i)" + text, fmt::format("{}: {}", where, path))));
  }
  if (const auto reference = schema.find("$ref"); reference != schema.end()) {
    const auto name = reference->get<std::string>();
    if (!name.starts_with(kDefinitions) || !root_.contains("$defs") ||
        !root_["$defs"].contains(name.substr(kDefinitions.size())))
      return refusal(where, path, fmt::format("refers to '{}', which is not there", name));
  }
  return prepare_members(schema, path, where);
}

Result<void> JsonSchema::prepare_members(const Json& schema, const std::string& path,
                                         std::string_view where) {
  if (const auto properties = schema.find("properties"); properties != schema.end()) {
    for (const auto& [name, one] : properties->items())
      TRY(prepare(one, fmt::format("{}/properties/{}", path, name), where));
  }
  if (const auto items = schema.find("items"); items != schema.end())
    TRY(prepare(*items, path + "/items", where));
  if (const auto others = schema.find("additionalProperties");
      others != schema.end() && !others->is_boolean())
    TRY(prepare(*others, path + "/additionalProperties", where));
  for (const char* choice : {"anyOf", "oneOf"}) {
    const auto choices = schema.find(choice);
    if (choices == schema.end()) continue;
    for (const Json& one : *choices) TRY(prepare(one, fmt::format("{}/{}", path, choice), where));
  }
  return {};
}

const Json& JsonSchema::resolved(const Json& reference) const {
  return root_.at("$defs").at(reference.get<std::string>().substr(kDefinitions.size()));
}

std::vector<JsonSchema::Fault> JsonSchema::faults_in(const Json& value) const {
  std::vector<Fault> faults;
  judge(root_, value, "", faults);
  return faults;
}

void JsonSchema::judge(const Json& schema, const Json& value, const std::string& path,
                       std::vector<Fault>& faults) const {
  if (const auto reference = schema.find("$ref"); reference != schema.end())
    judge(resolved(*reference), value, path, faults);
  if (!has_type(schema, value)) {
    std::vector<std::string_view> words;
    const std::vector<std::string> types = types_of(schema);
    for (const std::string& type : types) words.push_back(in_words(type));
    faults.push_back({path, fmt::format("must be {}", fmt::join(words, " or "))});
    return;
  }
  if (const auto known = schema.find("enum"); known != schema.end()) {
    if (std::ranges::find(*known, value) == known->end())
      faults.push_back({path, fmt::format("'{}' is not one of: {}", shown(value), list_of(*known))});
  }
  if (const auto least = schema.find("minimum"); least != schema.end() && value.is_number()) {
    if (value.get<double>() < least->get<double>())
      faults.push_back({path, fmt::format("must be at least {}", shown(*least))});
  }
  if (value.is_string()) judge_text(schema, value.get_ref<const std::string&>(), path, faults);
  if (value.is_array()) judge_list(schema, value, path, faults);
  if (value.is_object()) judge_mapping(schema, value, path, faults);
  if (const auto any = schema.find("anyOf"); any != schema.end())
    judge_choices(*any, false, value, path, faults);
  if (const auto one = schema.find("oneOf"); one != schema.end())
    judge_choices(*one, true, value, path, faults);
}

void JsonSchema::judge_text(const Json& schema, const std::string& text, const std::string& path,
                            std::vector<Fault>& faults) const {
  const auto least = schema.find("minLength");
  const auto is_character = [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; };
  if (least != schema.end() && std::ranges::count_if(text, is_character) < least->get<std::int64_t>())
    faults.push_back({path, text.empty() ? "must not be empty" : fmt::format("'{}' is too short", text)});
  const auto pattern = schema.find("pattern");
  if (pattern == schema.end()) return;
  const auto& wanted = pattern->get_ref<const std::string&>();
  if (!patterns_.at(wanted).found_in(text))
    faults.push_back({path, fmt::format("'{}' does not match {}", text, wanted)});
}

void JsonSchema::judge_list(const Json& schema, const Json& list, const std::string& path,
                            std::vector<Fault>& faults) const {
  const auto least = schema.find("minItems");
  if (least != schema.end() && list.size() < least->get<std::size_t>())
    faults.push_back({path, fmt::format("must have {} or more items", shown(*least))});
  const auto items = schema.find("items");
  if (items == schema.end()) return;
  for (std::size_t i = 0; i < list.size(); ++i) judge(*items, list[i], fmt::format("{}/{}", path, i), faults);
}

void JsonSchema::judge_mapping(const Json& schema, const Json& mapping, const std::string& path,
                               std::vector<Fault>& faults) const {
  if (const auto required = schema.find("required"); required != schema.end()) {
    for (const Json& name : *required) {
      if (!mapping.contains(name.get<std::string>()))
        faults.push_back({path, fmt::format("'{}' is missing", name.get<std::string>())});
    }
  }
  const auto properties = schema.find("properties");
  const auto others = schema.find("additionalProperties");
  for (const auto& [name, value] : mapping.items()) {
    const std::string member = fmt::format("{}/{}", path, name);
    if (properties != schema.end() && properties->contains(name)) {
      judge(properties->at(name), value, member, faults);
    } else if (others != schema.end() && others->is_object()) {
      judge(*others, value, member, faults);
    } else if (others != schema.end() && !others->get<bool>()) {
      faults.push_back({member, "is not a known field"});
    }
  }
}

// Where none fits, the faults are those of the one choice that is of the value's type, if there is one.
void JsonSchema::judge_choices(const Json& choices, bool only_one, const Json& value, const std::string& path,
                               std::vector<Fault>& faults) const {
  std::size_t fitting = 0;
  std::vector<std::vector<Fault>> closest;
  std::set<std::string> reasons;
  for (const Json& choice : choices) {
    std::vector<Fault> found;
    judge(choice, value, path, found);
    if (found.empty()) ++fitting;
    for (const Fault& fault : found) reasons.insert(fault.why);
    const Json& meant = choice.contains("$ref") ? resolved(choice["$ref"]) : choice;
    if (has_type(meant, value)) closest.push_back(std::move(found));
  }
  if (fitting == 1 || (fitting > 1 && !only_one)) return;
  if (fitting > 1) {
    faults.push_back({path, "fits more than one of the forms it may have"});
  } else if (closest.size() == 1) {
    std::ranges::move(closest.front(), std::back_inserter(faults));
  } else {
    faults.push_back({path, fmt::format("{}", fmt::join(reasons, ", or "))});
  }
}

std::vector<std::string> yaml_faults(const JsonSchema& schema, std::string_view text, std::string_view file) {
  const auto value = parse_typed_yaml(text, file);
  const auto documents = parse_yaml_documents(text, file);
  for (const Error* error :
       {value.ok() ? nullptr : &value.error(), documents.ok() ? nullptr : &documents.error()}) {
    if (error != nullptr) return {fmt::format("{}: {}", error->where, error->why)};
  }
  std::vector<std::string> sentences;
  for (const JsonSchema::Fault& fault : schema.faults_in(value.value())) {
    int line = 1;
    if (!documents.value().empty()) {
      const auto& lines = documents.value().front().lines;
      if (const auto known = lines.find(fault.path); known != lines.end()) line = known->second;
    }
    const std::string field = field_of(fault.path);
    sentences.push_back(
        fmt::format("{}:{}: {}{}{}", file, line, field, field.empty() ? "" : ": ", fault.why));
  }
  return sentences;
}

}  // namespace lockstep::base
