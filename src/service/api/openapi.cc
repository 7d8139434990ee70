#include "base/json.h"
#include "service/api/api.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {
namespace {

using base::Json;

Json schema_of(const SpecField& field) {
  switch (field.kind) {
    case FieldKind::kText:
    case FieldKind::kPath:
      return {{"type", "string"}, {"minLength", 1}, {"maxLength", field.most}};
    case FieldKind::kInteger:
      return {{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
    case FieldKind::kWords:
      return {{"type", "array"},
              {"items", {{"type", "string"}}},
              {"minItems", field.least},
              {"maxItems", field.most}};
    case FieldKind::kTexts:
      return {
          {"type", "object"}, {"additionalProperties", {{"type", "string"}}}, {"maxProperties", field.most}};
    case FieldKind::kFramework:
      return {{"enum", {"pytorch", "tensorflow", "horovod", "plain"}}};
    case FieldKind::kWorkers: {
      const Json count = {{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
      const Json range = {{"type", "object"},
                          {"properties", {{"min", count}, {"max", count}}},
                          {"required", {"min", "max"}},
                          {"additionalProperties", false}};
      return {{"oneOf", {count, range}}};
    }
  }
  return {};
}

Json request_schema() {
  Json properties = Json::object();
  for (const SpecField& field : spec_fields()) {
    Json schema = schema_of(field);
    schema["description"] = field.meaning;
    properties[std::string(field.name)] = schema;
  }
  return {{"type", "object"},
          {"properties", properties},
          {"required", {"workers"}},
          {"oneOf", {{{"required", {"script"}}}, {{"required", {"command"}}}}},
          {"additionalProperties", false}};
}

Json object_with(std::initializer_list<const char*> required) {
  Json names = Json::array();
  for (const char* name : required) names.push_back(name);
  return {{"type", "object"}, {"required", names}};
}

Json schemas() {
  return {{"JobRequest", request_schema()},
          {"Job",
           object_with({"id", "state", "reason", "owner", "created_at", "attempts", "request", "resolved"})},
          {"JobPage", object_with({"jobs", "next_cursor"})},
          {"Attempts", object_with({"attempts"})},
          {"Diagnoses", object_with({"diagnoses"})},
          {"Events", object_with({"events"})},
          {"Status", object_with({"status"})},
          {"Document", object_with({"openapi", "paths"})},
          {"Problem", object_with({"type", "title", "status", "code"})}};
}

Json reference_to(std::string_view schema) {
  return {{"$ref", "#/components/schemas/" + std::string(schema)}};
}

Json parameters_of(const Route& route) {
  Json parameters = Json::array();
  if (route.path.find("{id}") != std::string_view::npos) {
    parameters.push_back(
        {{"name", "id"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  for (const QueryParameter& one : route.query) {
    parameters.push_back({{"name", one.name},
                          {"in", "query"},
                          {"description", one.meaning},
                          {"schema", {{"type", one.type}}}});
  }
  return parameters;
}

Json operation_of(const Route& route) {
  Json success = {{"description", route.summary}};
  if (!route.answer_schema.empty()) {
    success["content"] = {{"application/json", {{"schema", reference_to(route.answer_schema)}}}};
  }
  Json operation = {{"summary", route.summary}, {"parameters", parameters_of(route)}};
  if (route.method == "POST" && route.path == "/v1/jobs") {
    operation["requestBody"] = {
        {"required", true}, {"content", {{"application/json", {{"schema", reference_to("JobRequest")}}}}}};
  }
  const Json refusal = {{"description", "A refusal, with its reason"},
                        {"content", {{"application/problem+json", {{"schema", reference_to("Problem")}}}}}};
  operation["responses"] = {{std::to_string(route.success), success}, {"default", refusal}};
  return operation;
}

}  // namespace

std::string openapi_document() {
  Json paths = Json::object();
  for (const Route& route : routes()) {
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c | 0x20);
    paths[std::string(route.path)][method] = operation_of(route);
  }
  const Json document = {{"openapi", "3.1.0"},
                         {"info", {{"title", "Lockstep"}, {"version", "1"}}},
                         {"paths", paths},
                         {"components", {{"schemas", schemas()}}}};
  return base::to_text(document, base::JsonLayout::kIndented);
}

}  // namespace lockstep::service
