#include "report/findings_json.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "report/lines.h"
#include "report/phrases.h"

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

Json encode_place(const model::CodePlace& place) {
  Json json = Json::object();
  json["file"] = base::to_valid_utf8(place.file);
  json["line"] = place.line;
  if (!place.function.empty()) json["function"] = base::to_valid_utf8(place.function);
  if (!place.ranks.empty()) json["ranks"] = place.ranks;
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
  if (!finding.places.empty()) json["places"] = Json::array();
  for (const model::CodePlace& place : finding.places) json["places"].push_back(encode_place(place));
  if (!finding.consequence_of.empty()) json["consequence_of"] = base::to_valid_utf8(finding.consequence_of);
  return json;
}

Json encode_decision(const model::Decision& decision) {
  Json json = Json::object();
  json["rule"] = base::to_valid_utf8(decision.rule);
  json["finding"] = base::to_valid_utf8(decision.finding);
  json["outcome"] = id_of(decision.outcome);
  if (!decision.other.empty()) json["other"] = base::to_valid_utf8(decision.other);
  json["reason"] = base::to_valid_utf8(decision.reason);
  return json;
}

}  // namespace

base::Json findings_as_json(const model::Verdict& verdict) {
  Json json = Json::object();
  json["schema"] = kFindingsSchema;
  json["job"] = encode_job(verdict.job);
  json["findings"] = Json::array();
  for (const model::Finding& finding : verdict.findings) json["findings"].push_back(encode_finding(finding));
  json["limits"] = encode_texts(verdict.limits);
  if (verdict.decisions) {
    json["decisions"] = Json::array();
    for (const model::Decision& decision : *verdict.decisions)
      json["decisions"].push_back(encode_decision(decision));
  }
  return json;
}

std::string encode_findings(const model::Verdict& verdict) {
  return to_printable_text(findings_as_json(verdict));
}

namespace {

constexpr model::Scope kScopes[] = {model::Scope::kDistributed, model::Scope::kOrdinary,
                                    model::Scope::kUnknown};
constexpr model::EvidenceLevel kLevels[] = {model::EvidenceLevel::kSeen, model::EvidenceLevel::kInferred,
                                            model::EvidenceLevel::kAbsence};
constexpr model::Outcome kOutcomes[] = {
    model::Outcome::kAdded,
    model::Outcome::kOrderedBefore,
    model::Outcome::kOrderedBehind,
    model::Outcome::kFoldedInto,
    model::Outcome::kDropped,
    model::Outcome::kRanksNamed,
    model::Outcome::kConfidenceChanged,
    model::Outcome::kRenamed,
    model::Outcome::kExplainedBy,
};

template <typename T, std::size_t count>
std::optional<T> with_id(const T (&values)[count], std::string_view id) {
  for (const T value : values) {
    if (id_of(value) == id) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view id_of(model::Scope scope) {
  switch (scope) {
    case model::Scope::kDistributed:
      return "distributed";
    case model::Scope::kOrdinary:
      return "ordinary";
    case model::Scope::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view id_of(model::EvidenceLevel level) {
  switch (level) {
    case model::EvidenceLevel::kInferred:
      return "inferred";
    case model::EvidenceLevel::kAbsence:
      return "absence";
    case model::EvidenceLevel::kSeen:
      break;
  }
  return "seen";
}

std::string_view id_of(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::kAdded:
      return "added";
    case model::Outcome::kOrderedBehind:
      return "ordered_behind";
    case model::Outcome::kFoldedInto:
      return "folded_into";
    case model::Outcome::kDropped:
      return "dropped";
    case model::Outcome::kRanksNamed:
      return "ranks_named";
    case model::Outcome::kConfidenceChanged:
      return "confidence_changed";
    case model::Outcome::kRenamed:
      return "renamed";
    case model::Outcome::kExplainedBy:
      return "explained_by";
    case model::Outcome::kOrderedBefore:
      break;
  }
  return "ordered_before";
}

std::optional<model::Scope> scope_with_id(std::string_view id) {
  return with_id(kScopes, id);
}

std::optional<model::EvidenceLevel> evidence_level_with_id(std::string_view id) {
  return with_id(kLevels, id);
}

std::optional<model::Outcome> outcome_with_id(std::string_view id) {
  return with_id(kOutcomes, id);
}

std::vector<std::string_view> outcome_ids() {
  std::vector<std::string_view> ids;
  for (const model::Outcome outcome : kOutcomes) ids.push_back(id_of(outcome));
  return ids;
}

namespace {

bool is_safe_to_show(std::string_view code_point) {
  return base::escape_for_terminal(code_point) == code_point;
}

std::string json_escape(char32_t c) {
  const auto value = static_cast<std::uint32_t>(c);
  if (value < 0x10000) return fmt::format("\\u{:04x}", value);
  const std::uint32_t offset = value - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
}

}  // namespace

std::string to_printable_text(const base::Json& json) {
  const std::string plain = base::to_text(json, base::JsonLayout::kIndented);
  std::string out;
  out.reserve(plain.size() + 1);
  for (std::string_view rest = plain; !rest.empty();) {
    const std::string_view code_point = first_code_point(rest);
    const bool is_plain_ascii = code_point.size() == 1 && code_point.front() != '\x7F';
    if (is_plain_ascii || is_safe_to_show(code_point)) {
      out += code_point;
    } else {
      out += json_escape(code_point_value(code_point));
    }
    rest.remove_prefix(code_point.size());
  }
  return out + '\n';
}

namespace {

constexpr std::size_t kMaxLiveBytes = std::size_t{16} << 20;  // far more than a watcher finds
constexpr const char* kLiveFile = ".seen_live.json";          // hidden from the readers of logs

}  // namespace

Result<void> keep_live_findings(const std::filesystem::path& recording,
                                std::vector<model::Finding> findings) {
  model::Verdict verdict;
  verdict.findings = std::move(findings);
  return base::write_file(recording / kLiveFile, encode_findings(verdict));
}

std::vector<model::Finding> live_findings_in(const std::vector<std::filesystem::path>& paths) {
  std::vector<model::Finding> findings;
  for (const std::filesystem::path& path : paths) {
    auto text = base::read_file(path / kLiveFile, kMaxLiveBytes);
    if (!text.ok()) continue;
    auto verdict = decode_findings(text.value(), kLiveFile);
    if (!verdict.ok()) continue;
    for (model::Finding& finding : verdict.value().findings) findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace lockstep::report
