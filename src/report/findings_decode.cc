#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "base/closest.h"
#include "base/escape.h"
#include "base/json.h"
#include "report/findings_json.h"
#include "report/json_view.h"
#include "report/names.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kLongestIdInAnError = 64;

Result<std::string> read_text(const JsonView& view) {
  return view.text();
}

Result<std::int64_t> read_line(const JsonView& view) {
  return view.integer(std::numeric_limits<std::int64_t>::max());
}

Result<int> read_int(const JsonView& view) {
  return static_cast<int>(TRY(view.integer(std::numeric_limits<int>::max())));
}

Result<double> read_confidence(const JsonView& view) {
  const double confidence = TRY(view.number());
  if (!(confidence >= 0 && confidence <= 1)) return view.wrong("is not between 0 and 1", "");
  return confidence;
}

Error unknown_id(const JsonView& view, const std::string& id, const std::vector<std::string_view>& known) {
  if (id.size() > kLongestIdInAnError) return view.wrong("is far too long to be an id", "");
  const auto meant = base::closest(id, known);
  std::string hint = meant ? fmt::format("did you mean {}?", *meant)
                           : std::string("the known ids are in catalogue/schema/lockstep-findings-v1.json");
  return view.wrong(fmt::format("is \"{}\", which is not a known id", base::escape_for_terminal(id)),
                    std::move(hint));
}

Result<model::Leaf> read_leaf(const JsonView& view) {
  const std::string id = TRY(view.text());
  if (const auto leaf = model::leaf_with_id(id)) return *leaf;
  std::vector<std::string_view> known;
  for (const model::LeafEntry& entry : model::all_leaves()) known.push_back(entry.id);
  return unknown_id(view, id, known);
}

Result<model::FixPattern> read_pattern(const JsonView& view) {
  const std::string id = TRY(view.text());
  if (const auto pattern = model::fix_pattern_with_id(id)) return *pattern;
  std::vector<std::string_view> known;
  for (const model::FixPatternEntry& entry : model::all_fix_patterns()) known.push_back(entry.id);
  return unknown_id(view, id, known);
}

Result<model::Scope> read_scope(const JsonView& view) {
  const std::string id = TRY(view.text());
  if (const auto scope = scope_with_id(id)) return *scope;
  return unknown_id(view, id, {"distributed", "ordinary", "unknown"});
}

Result<model::EvidenceLevel> read_level(const JsonView& view) {
  const std::string id = TRY(view.text());
  if (const auto level = evidence_level_with_id(id)) return *level;
  return unknown_id(view, id, {"seen", "inferred", "absence"});
}

Result<std::vector<int>> read_ranks(const JsonView& view, std::string_view name) {
  std::vector<int> ranks = TRY(view.list(name, read_int));
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

Result<model::Evidence> read_evidence(const JsonView& view) {
  model::Evidence evidence;
  evidence.file = TRY(view.required("file", read_text));
  evidence.line = TRY(view.optional("line", read_line));
  evidence.rank = TRY(view.optional("rank", read_int));
  evidence.text = TRY(view.required("text", read_text));
  evidence.level = TRY(view.optional("level", read_level)).value_or(model::EvidenceLevel::kSeen);
  return evidence;
}

Result<model::Fix> read_fix(const JsonView& view) {
  model::Fix fix;
  fix.pattern = TRY(view.required("pattern", read_pattern));
  fix.title = TRY(view.required("title", read_text));
  fix.steps = TRY(view.list("steps", read_text));
  fix.commands = TRY(view.list("commands", read_text));
  return fix;
}

Result<model::Finding> read_finding(const JsonView& view) {
  model::Finding finding;
  finding.leaf = TRY(view.required("leaf", read_leaf));
  finding.code = TRY(view.required("code", read_text));
  finding.scope = TRY(view.required("scope", read_scope));
  finding.confidence = TRY(view.required("confidence", read_confidence));
  finding.root_ranks = TRY(read_ranks(view, "root_ranks"));
  finding.victim_ranks = TRY(read_ranks(view, "victim_ranks"));
  finding.title = TRY(view.required("title", read_text));
  finding.explanation = TRY(view.optional("explanation", read_text)).value_or("");
  finding.evidence = TRY(view.list("evidence", read_evidence));
  finding.fixes = TRY(view.list("fixes", read_fix));
  return finding;
}

Result<model::JobSummary> read_job(const JsonView& view) {
  model::JobSummary job;
  job.framework = TRY(view.optional("framework", read_text)).value_or("");
  job.backend = TRY(view.optional("backend", read_text)).value_or("");
  job.world_size = TRY(view.optional("world_size", read_int));
  job.hosts = TRY(view.optional("hosts", read_int));
  job.ranks_seen = TRY(read_ranks(view, "ranks_seen"));
  return job;
}

Result<std::string> read_schema(const JsonView& view) {
  std::string schema = TRY(view.text());
  if (schema == kFindingsSchema) return schema;
  return view.wrong(fmt::format("is not \"{}\"", kFindingsSchema),
                    "this is no findings file, or one for a newer lockstep");
}

Result<std::vector<model::Finding>> read_findings(const JsonView& root) {
  // An absent list would read as "nothing is wrong"; that must be said, not left out.
  TRY(root.required("findings", [](const JsonView&) { return Result<void>(); }));
  return root.list("findings", read_finding);
}

}  // namespace

Result<model::Verdict> decode_findings(std::string_view text, std::string_view where) {
  const base::Json json = TRY(base::parse_json(text, where));
  const JsonView root(json, where, "");
  TRY(root.required("schema", read_schema));
  model::Verdict verdict;
  verdict.job = TRY(root.optional("job", read_job)).value_or(model::JobSummary{});
  verdict.findings = TRY(read_findings(root));
  verdict.limits = TRY(root.list("limits", read_text));
  return verdict;
}

}  // namespace lockstep::report
