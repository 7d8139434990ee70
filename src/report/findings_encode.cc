#include "base/escape.h"
#include "base/json.h"
#include "report/findings_json.h"
#include "report/names.h"
#include "report/phrases.h"
#include "report/printable_json.h"

namespace lockstep::report {
namespace {

using base::Json;

Json encode_texts(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const std::string& text : texts) json.push_back(base::to_valid_utf8(text));
  return json;
}

Json encode_job(const model::JobSummary& job) {
  Json json = Json::object();
  json["framework"] = base::to_valid_utf8(job.framework);
  json["backend"] = base::to_valid_utf8(job.backend);
  if (job.world_size) json["world_size"] = *job.world_size;
  if (job.hosts) json["hosts"] = *job.hosts;
  json["ranks_seen"] = job.ranks_seen;
  return json;
}

Json encode_evidence(const model::Evidence& evidence) {
  Json json = Json::object();
  json["file"] = base::to_valid_utf8(evidence.file);
  if (evidence.line) json["line"] = *evidence.line;
  if (evidence.rank) json["rank"] = *evidence.rank;
  json["text"] = base::to_valid_utf8(evidence.text);
  json["level"] = id_of(evidence.level);
  return json;
}

Json encode_fix(const model::Fix& fix) {
  Json json = Json::object();
  json["pattern"] = model::id_of(fix.pattern);
  json["title"] = base::to_valid_utf8(fix.title);
  json["steps"] = encode_texts(fix.steps);
  json["commands"] = encode_texts(fix.commands);
  return json;
}

Json encode_finding(const model::Finding& finding) {
  Json json = Json::object();
  json["leaf"] = model::entry_of(finding.leaf).id;
  json["code"] = base::to_valid_utf8(finding.code);
  json["scope"] = id_of(finding.scope);
  json["confidence"] = bounded_confidence(finding.confidence);
  json["root_ranks"] = finding.root_ranks;
  json["victim_ranks"] = finding.victim_ranks;
  json["title"] = base::to_valid_utf8(finding.title);
  json["explanation"] = base::to_valid_utf8(finding.explanation);
  json["evidence"] = Json::array();
  for (const model::Evidence& evidence : finding.evidence) {
    json["evidence"].push_back(encode_evidence(evidence));
  }
  json["fixes"] = Json::array();
  for (const model::Fix& fix : finding.fixes) json["fixes"].push_back(encode_fix(fix));
  return json;
}

}  // namespace

std::string encode_findings(const model::Verdict& verdict) {
  Json json = Json::object();
  json["schema"] = kFindingsSchema;
  json["job"] = encode_job(verdict.job);
  json["findings"] = Json::array();
  for (const model::Finding& finding : verdict.findings) json["findings"].push_back(encode_finding(finding));
  json["limits"] = encode_texts(verdict.limits);
  return to_printable_text(json);
}

}  // namespace lockstep::report
