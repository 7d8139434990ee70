#include "service/api/answer_schemas.h"

namespace lockstep::service {
namespace {

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

}  // namespace

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
          {"Status", whole({{"status", text()}})},
          {"Document", whole({{"openapi", text()}, {"paths", object()}})},
          {"Problem", problem_schema()}};
}

}  // namespace lockstep::service
