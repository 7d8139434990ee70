#include "top/snapshot_json.h"

#include <cmath>

#include "base/check.h"
#include "base/escape.h"
#include "base/json.h"
#include "report/findings_json.h"
#include "top/figures.h"
#include "top/line.h"

namespace lockstep::top {
namespace {

using base::Json;

void put(Json& json, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) json[name] = *value;
}

template <typename T>
void put(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}

Json encode_job(const watch::Snapshot& snapshot) {
  Json json = Json::object();
  json["name"] = base::to_valid_utf8(snapshot.job);
  json["command"] = Json::array();
  for (const std::string& word : snapshot.command) json["command"].push_back(base::to_valid_utf8(word));
  json["framework"] = base::to_valid_utf8(snapshot.framework);
  json["backend"] = base::to_valid_utf8(snapshot.backend);
  put(json, "world_size", snapshot.world_size);
  json["started_wall_ns"] = snapshot.started_wall_ns;
  json["taken_wall_ns"] = snapshot.taken_wall_ns;
  json["is_over"] = snapshot.is_over;
  return json;
}

Json encode_rank(const watch::RankView& view) {
  Json json = Json::object();
  json["rank"] = view.rank;
  json["restart"] = view.restart;
  json["host"] = base::to_valid_utf8(view.host);
  json["pid"] = view.pid;
  json["state"] = id_of(view.state);
  put(json, "exit_status", view.exit_status);
  json["doing"] = base::to_valid_utf8(view.doing);
  put(json, "for_ns", view.for_ns);
  json["waits_for"] = view.waits_for;
  json["steps"] = view.steps;
  put(json, "steps_per_second", view.steps_per_second);
  put(json, "communication_share", view.communication_share);
  put(json, "data_wait_share", view.data_wait_share);
  put(json, "lateness_ns", view.lateness_ns);
  json["calls"] = view.calls;
  return json;
}

// As `lockstep diagnose --json` writes them.
Json encode_findings(const std::vector<model::Finding>& findings) {
  const std::string text = report::encode_findings({.job = {}, .findings = findings, .limits = {}});
  Result<Json> verdict = base::parse_json(text, "findings");
  CHECK(verdict.ok(), "the reporter writes valid JSON");
  return std::move(verdict).value()["findings"];
}

}  // namespace

std::string encode_snapshot(const watch::Snapshot& snapshot) {
  Json json = Json::object();
  json["schema"] = kSnapshotSchema;
  json["job"] = encode_job(snapshot);
  json["ranks"] = Json::array();
  for (const watch::RankView& view : snapshot.ranks) json["ranks"].push_back(encode_rank(view));
  json["findings"] = encode_findings(snapshot.findings);
  return report::to_printable_text(json);
}

}  // namespace lockstep::top
