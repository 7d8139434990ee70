#include "cli/control_json.h"

#include "base/check.h"
#include "base/escape.h"
#include "base/json.h"
#include "report/findings_json.h"

namespace lockstep::cli {
namespace {

using base::Json;

Json encode_words(const isolate::Words& words) {
  Json json = Json::array();
  for (const std::string& word : words) json.push_back(base::to_valid_utf8(word));
  return json;
}

Json encode_environment(const std::vector<isolate::Change>& changes) {
  Json set = Json::object();
  Json unset = Json::array();
  for (const isolate::Change& change : changes) {
    if (change.value) {
      set[base::to_valid_utf8(change.name)] = base::to_valid_utf8(*change.value);
    } else {
      unset.push_back(base::to_valid_utf8(change.name));
    }
  }
  return {{"set", set}, {"unset", unset}};
}

}  // namespace

std::string encode_control(const isolate::Control& control, const std::optional<ControlResult>& result) {
  const model::Verdict verdict = result ? result->comparison.verdict : model::Verdict{};
  auto document = base::parse_json(report::encode_findings(verdict), "findings");
  CHECK(document.ok(), "what the reporter writes can be read");
  Json json = Json::object();
  json["launcher"] = base::to_valid_utf8(control.launcher);
  json["command"] = encode_words(control.command);
  json["environment"] = encode_environment(control.changes);
  json["left_out"] = encode_words(control.left_out);
  json["notes"] = encode_words(control.notes);
  if (result) {
    json["outcome"] = isolate::id_of(result->comparison.outcome);
    json["statement"] = base::to_valid_utf8(result->comparison.statement);
    json["status"] = result->status;
    json["seconds"] = result->seconds;
    json["timed_out"] = result->timed_out;
    json["folder"] = base::to_valid_utf8(result->folder);
  }
  document.value()["control"] = std::move(json);
  return report::to_printable_text(document.value());
}

}  // namespace lockstep::cli
