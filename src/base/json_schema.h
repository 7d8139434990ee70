// JSON Schema, as much of it as the schemas of catalogue/schema use: type, enum, required, properties,
// additionalProperties, items, pattern, minItems, minLength, minimum, anyOf, oneOf, and $ref into the
// schema's own $defs. A schema that says anything else is refused, so nothing that it asks for is passed
// over.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/text_search/regex.h"

namespace lockstep::base {

class JsonSchema {
 public:
  // `where` names the schema in the error.
  static Result<JsonSchema> parse(std::string_view text, std::string_view where);

  struct Fault {
    std::string path;  // a JSON pointer without escapes, as in YamlDocument::lines
    std::string why;   // "must be a list"
  };
  std::vector<Fault> faults_in(const Json& value) const;

 private:
  explicit JsonSchema(Json root) : root_(std::move(root)) {}
  Result<void> prepare(const Json& schema, const std::string& path, std::string_view where);
  Result<void> prepare_members(const Json& schema, const std::string& path, std::string_view where);
  const Json& resolved(const Json& reference) const;

  void judge(const Json& schema, const Json& value, const std::string& path,
             std::vector<Fault>& faults) const;
  void judge_text(const Json& schema, const std::string& text, const std::string& path,
                  std::vector<Fault>& faults) const;
  void judge_list(const Json& schema, const Json& list, const std::string& path,
                  std::vector<Fault>& faults) const;
  void judge_mapping(const Json& schema, const Json& mapping, const std::string& path,
                     std::vector<Fault>& faults) const;
  void judge_choices(const Json& choices, bool only_one, const Json& value, const std::string& path,
                     std::vector<Fault>& faults) const;

  Json root_;
  std::map<std::string, Regex> patterns_;
};

// Of a YAML file, typed as editors read it: one sentence for each fault, with file, line and field. What is
// not YAML is one too.
std::vector<std::string> yaml_faults(const JsonSchema& schema, std::string_view text, std::string_view file);

}  // namespace lockstep::base
