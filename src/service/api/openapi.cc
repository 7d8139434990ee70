#include "base/json.h"
#include "service/api/api.h"
#include "service/job/spec_fields.h"

namespace lockstep::service {

namespace {

// What the answers of the API look like, for the OpenAPI document.

using base::Json;

Json text() {
  return {{"type", "string"}};
}
Json time() {
  return {{"type", "string"}, {"format", "date-time"}};
}
Json time_or_none() {
  return {{"type", {"string", "null"}}, {"format", "date-time"}};
}
Json number() {
  return {{"type", "integer"}};
}
Json number_or_none() {
  return {{"type", {"integer", "null"}}};
}
Json yes_or_no() {
  return {{"type", "boolean"}};
}
Json object() {
  return {{"type", "object"}};
}
Json object_or_none() {
  return {{"type", {"object", "null"}}};
}
Json state() {
  return {{"enum", {"QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED"}}};
}

Json list_of(const Json& items) {
  return {{"type", "array"}, {"items", items}};
}

Json reference(const char* schema) {
  return {{"$ref", std::string("#/components/schemas/") + schema}};
}

// Every member is there in every answer.
Json whole(const Json& properties) {
  Json names = Json::array();
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  return {{"type", "object"}, {"properties", properties}, {"required", names}};
}

Json rank_schema() {
  return whole({{"rank", number()},
                {"started_at", time_or_none()},
                {"ended_at", time_or_none()},
                {"exit_status", number_or_none()},
                {"signal", number_or_none()},
                {"alive_at", time_or_none()},
                {"hit_memory_limit", yes_or_no()},
                {"was_asked_to_end", yes_or_no()},
                {"last_lines", list_of(text())}});
}

Json attempt_schema() {
  return whole({{"number", number()},
                {"state", state()},
                {"reason", text()},
                {"workers", number()},
                {"nodes", number()},
                {"node_names", list_of(text())},
                {"gpus", list_of(number())},
                {"ports", list_of(number())},
                {"started_at", time_or_none()},
                {"ended_at", time_or_none()},
                {"exit_status", number_or_none()},
                {"first_failed_rank", number_or_none()},
                {"ranks", list_of(reference("Rank"))}});
}

Json job_schema() {
  const Json choice = whole({{"value", text()}, {"reason", text()}});
  Json job = whole({{"id", text()},
                    {"state", state()},
                    {"reason", text()},
                    {"owner", text()},
                    {"owner_name", text()},
                    {"service", text()},
                    {"created_at", time()},
                    {"started_at", time_or_none()},
                    {"ended_at", time_or_none()},
                    {"engine", {{"enum", {"local", "slurm", "kubernetes"}}}},
                    {"attempts", number()},
                    {"cancel_asked", yes_or_no()},
                    {"request", object()},
                    {"resolved", {{"type", "object"}, {"additionalProperties", choice}}}});
  job["properties"]["last_attempt"] = reference("Attempt");
  job["properties"]["progress"] = object_or_none();
  job["properties"]["check"] = object();
  job["properties"]["diagnosis"] = object();
  return job;
}

Json event_schema() {
  return whole(
      {{"sequence", number()}, {"job", text()}, {"at", time()}, {"kind", text()}, {"detail", text()}});
}

Json problem_schema() {
  Json problem = whole({{"type", text()}, {"title", text()}, {"status", number()}, {"code", text()}});
  problem["properties"]["detail"] = text();
  problem["properties"]["hint"] = text();
  problem["properties"]["errors"] = list_of(whole({{"pointer", text()}, {"detail", text()}}));
  return problem;
}

// By name, as JSON Schema. They follow views.cc.
Json answer_schemas() {
  const Json diagnosis =
      whole({{"attempt", number()}, {"check", object_or_none()}, {"findings", object_or_none()}});
  const Json artifact = whole({{"path", text()}, {"bytes", number()}, {"changed_at", time()}});
  return {{"Job", job_schema()},
          {"JobPage",
           whole({{"jobs", list_of(reference("Job"))}, {"next_cursor", {{"type", {"string", "null"}}}}})},
          {"Rank", rank_schema()},
          {"Attempt", attempt_schema()},
          {"Attempts", whole({{"attempts", list_of(reference("Attempt"))}})},
          {"Diagnoses", whole({{"diagnoses", list_of(diagnosis)}})},
          {"Artifacts", whole({{"artifacts", list_of(artifact)}, {"is_cut", yes_or_no()}})},
          {"Events", whole({{"events", list_of(event_schema())}})},
          {"PageAddress", whole({{"address", {{"type", {"string", "null"}}}}})},
          {"Status", whole({{"status", text()}})},
          {"Document", whole({{"openapi", text()}, {"paths", object()}})},
          {"Problem", problem_schema()}};
}

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
