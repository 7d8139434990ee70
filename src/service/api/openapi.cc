#include "base/json.h"
#include "service/api/answer_schemas.h"
#include "service/api/api.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {
namespace {

using base::Json;

constexpr const char* kNoNul = "^[^\\u0000]*$";

Json text_schema() {
  return {{"type", "string"}, {"pattern", kNoNul}};
}

Json schema_of(const SpecField& field) {
  switch (field.kind) {
    case FieldKind::kText:
    case FieldKind::kPath: {
      Json schema = text_schema();
      schema["minLength"] = 1;
      schema["maxLength"] = field.most;
      return schema;
    }
    case FieldKind::kInteger:
      return {{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
    case FieldKind::kWords:
      return {
          {"type", "array"}, {"items", text_schema()}, {"minItems", field.least}, {"maxItems", field.most}};
    case FieldKind::kTexts:
      return {
          {"type", "object"}, {"additionalProperties", {{"type", "string"}}}, {"maxProperties", field.most}};
    case FieldKind::kFiles: {
      const Json bytes = {{"type", "object"},
                          {"properties", {{"base64", {{"type", "string"}, {"contentEncoding", "base64"}}}}},
                          {"required", {"base64"}},
                          {"additionalProperties", false}};
      return {{"type", "object"},
              {"additionalProperties", {{"oneOf", {{{"type", "string"}}, bytes}}}},
              {"maxProperties", field.most}};
    }
    case FieldKind::kFramework:
      return {{"enum", {"pytorch", "tensorflow", "horovod", "plain"}}};
    case FieldKind::kEngine:
      return {{"enum", {"local", "slurm", "kubernetes"}}};
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

Json reference_to(std::string_view schema) {
  return {{"$ref", "#/components/schemas/" + std::string(schema)}};
}

Json parameter_in(const char* place, const Parameter& parameter) {
  Json schema = {{"type", parameter.type}};
  if (!parameter.pattern.empty()) schema["pattern"] = parameter.pattern;
  if (parameter.type == "integer") {
    schema["minimum"] = parameter.least;
    schema["maximum"] = parameter.most;
  }
  return {{"name", parameter.name},
          {"in", place},
          {"required", parameter.is_required},
          {"description", parameter.meaning},
          {"schema", schema}};
}

Json parameters_of(const Route& route) {
  Json parameters = Json::array();
  if (route.path.find("{id}") != std::string_view::npos) {
    parameters.push_back(parameter_in(
        "path", {.name = "id", .type = "string", .meaning = "The name of a job", .is_required = true}));
  }
  for (const Parameter& one : route.query) parameters.push_back(parameter_in("query", one));
  for (const Parameter& one : route.headers) parameters.push_back(parameter_in("header", one));
  return parameters;
}

// A schema's name, or media types with commas between them.
Json content_of(std::string_view answer) {
  if (answer.find('/') == std::string_view::npos)
    return {{"application/json", {{"schema", reference_to(answer)}}}};
  Json content = Json::object();
  while (!answer.empty()) {
    const std::string_view type = answer.substr(0, answer.find(','));
    content[std::string(type)] = Json::object();
    answer.remove_prefix(std::min(type.size() + 1, answer.size()));
  }
  return content;
}

Json operation_of(const Route& route) {
  Json success = {{"description", route.summary}};
  if (!route.answer.empty()) success["content"] = content_of(route.answer);
  Json operation = {{"summary", route.summary}, {"parameters", parameters_of(route)}};
  if (route.needs != Needs::kNothing) operation["security"] = {{{"token", Json::array()}}};
  if (route.method == "POST" && route.path == "/v1/jobs") {
    const Json example = {{"command", {"python3", "train.py"}}, {"workers", 1}};
    operation["requestBody"] = {
        {"required", true},
        {"content", {{"application/json", {{"schema", reference_to("JobRequest")}, {"example", example}}}}}};
  }
  const Json refusal = {{"description", "A refusal, with its reason"},
                        {"content", {{"application/problem+json", {{"schema", reference_to("Problem")}}}}}};
  operation["responses"] = {{std::to_string(route.success), success}, {"default", refusal}};
  if (!route.meanwhile.empty()) {
    operation["responses"]["202"] = {
        {"description", route.meanwhile},
        {"content", {{"application/json", {{"schema", reference_to("Status")}}}}}};
  }
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
  Json schemas = answer_schemas();
  schemas["JobRequest"] = request_schema();
  const Json token = {{"type", "http"},
                      {"scheme", "bearer"},
                      {"description", "Made by 'lockstep serve --make-token'; the Unix socket needs none"}};
  const Json document = {{"openapi", "3.1.0"},
                         {"info", {{"title", "Lockstep"}, {"version", "1"}}},
                         {"paths", paths},
                         {"components", {{"schemas", schemas}, {"securitySchemes", {{"token", token}}}}}};
  return base::to_text(document, base::JsonLayout::kIndented);
}

}  // namespace lockstep::service
