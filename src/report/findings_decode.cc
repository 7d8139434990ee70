#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/closest.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/result.h"
#include "report/findings_json.h"

namespace lockstep::report {

namespace {

// One value of a parsed document together with its path, so that every complaint names the place:
// "findings[2].leaf". A view borrows the document and the name of its source; both outlive it.
class JsonView {
 public:
  JsonView(const base::Json& value, std::string_view source, std::string path)
      : value_(&value), source_(source), path_(std::move(path)) {}

  Result<std::string> text() const;
  Result<double> number() const;
  Result<std::int64_t> integer(std::int64_t largest) const;  // from 0

  // Members, each read by a function from JsonView to Result<T>. Members nobody asks for are ignored.
  template <typename Read>
  using Outcome = std::invoke_result_t<Read, const JsonView&>;
  template <typename Read>
  using Value = std::remove_cvref_t<decltype(std::declval<Outcome<Read>>().value())>;

  template <typename Read>
  Outcome<Read> required(std::string_view name, Read read) const {
    const base::Json* found = TRY(find(name));
    if (found == nullptr) return missing(name);
    return read(JsonView(*found, source_, path_of(name)));
  }

  template <typename Read>
  Result<std::optional<Value<Read>>> optional(std::string_view name, Read read) const {
    const base::Json* found = TRY(find(name));
    if (found == nullptr) return std::optional<Value<Read>>();
    return std::optional<Value<Read>>(TRY(read(JsonView(*found, source_, path_of(name)))));
  }

  // Every element of an array; an absent array is an empty one.
  template <typename Read>
  Result<std::vector<Value<Read>>> list(std::string_view name, Read read) const {
    const std::vector<JsonView> views = TRY(elements(name));
    std::vector<Value<Read>> values;
    values.reserve(views.size());
    for (const JsonView& element : views) values.push_back(TRY(read(element)));
    return values;
  }

  // "findings[2].leaf COMPLAINT"
  Error wrong(std::string_view complaint, std::string hint) const;

 private:
  Result<const base::Json*> find(std::string_view name) const;
  Result<std::vector<JsonView>> elements(std::string_view name) const;
  std::string path_of(std::string_view name) const;
  Error missing(std::string_view name) const;
  Error wrong_type(std::string_view wanted) const;

  const base::Json* value_;
  std::string_view source_;
  std::string path_;
};

Result<std::string> JsonView::text() const {
  if (!value_->is_string()) return wrong_type("a string");
  return value_->get<std::string>();
}

Result<double> JsonView::number() const {
  if (!value_->is_number()) return wrong_type("a number");
  return value_->get<double>();
}

Result<std::int64_t> JsonView::integer(std::int64_t largest) const {
  if (!value_->is_number_integer()) return wrong_type("an integer");
  // The parser keeps every integer from 0 on as unsigned; what this program made may be signed.
  const bool is_in_range = value_->is_number_unsigned()
                               ? value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(largest)
                               : value_->get<std::int64_t>() >= 0 && value_->get<std::int64_t>() <= largest;
  if (!is_in_range) return wrong(fmt::format("is not between 0 and {}", largest), "");
  return value_->get<std::int64_t>();
}

Error JsonView::wrong(std::string_view complaint, std::string hint) const {
  const std::string_view subject = path_.empty() ? std::string_view("the document") : path_;
  return Error{"cannot read findings", std::string(source_), fmt::format("{} {}", subject, complaint),
               std::move(hint)};
}

Result<const base::Json*> JsonView::find(std::string_view name) const {
  if (!value_->is_object()) return wrong_type("an object");
  const auto member = value_->find(name);
  const base::Json* found = member == value_->end() ? nullptr : &*member;
  return found;
}

Result<std::vector<JsonView>> JsonView::elements(std::string_view name) const {
  const base::Json* array = TRY(find(name));
  std::vector<JsonView> views;
  if (array == nullptr) return views;
  if (!array->is_array()) return JsonView(*array, source_, path_of(name)).wrong_type("an array");
  views.reserve(array->size());
  for (const base::Json& element : *array) {
    views.emplace_back(element, source_, fmt::format("{}[{}]", path_of(name), views.size()));
  }
  return views;
}

std::string JsonView::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

Error JsonView::missing(std::string_view name) const {
  return JsonView(*value_, source_, path_of(name))
      .wrong("is missing", "every member it needs is in docs/formats/findings-json.md");
}

Error JsonView::wrong_type(std::string_view wanted) const {
  return wrong(fmt::format("is of type {}, not {}", value_->type_name(), wanted),
               "the type of every member is in docs/formats/findings-json.md");
}

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

Result<model::CodePlace> read_place(const JsonView& view) {
  model::CodePlace place;
  place.file = TRY(view.required("file", read_text));
  place.line = TRY(view.required("line", read_line));
  place.function = TRY(view.optional("function", read_text)).value_or("");
  place.ranks = TRY(read_ranks(view, "ranks"));
  return place;
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
  finding.places = TRY(view.list("places", read_place));
  finding.consequence_of = TRY(view.optional("consequence_of", read_text)).value_or("");
  return finding;
}

Result<model::Outcome> read_outcome(const JsonView& view) {
  const std::string id = TRY(view.text());
  if (const auto outcome = outcome_with_id(id)) return *outcome;
  return unknown_id(view, id, outcome_ids());
}

Result<model::Decision> read_decision(const JsonView& view) {
  model::Decision decision;
  decision.rule = TRY(view.required("rule", read_text));
  decision.finding = TRY(view.required("finding", read_text));
  decision.outcome = TRY(view.required("outcome", read_outcome));
  decision.other = TRY(view.optional("other", read_text)).value_or("");
  decision.reason = TRY(view.required("reason", read_text));
  return decision;
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

Result<model::Verdict> findings_from_json(const base::Json& json, std::string_view where) {
  const JsonView root(json, where, "");
  TRY(root.required("schema", read_schema));
  model::Verdict verdict;
  verdict.job = TRY(root.optional("job", read_job)).value_or(model::JobSummary{});
  verdict.findings = TRY(read_findings(root));
  verdict.limits = TRY(root.list("limits", read_text));
  if (json.contains("decisions")) verdict.decisions = TRY(root.list("decisions", read_decision));
  return verdict;
}

Result<model::Verdict> decode_findings(std::string_view text, std::string_view where) {
  return findings_from_json(TRY(base::parse_json(text, where)), where);
}

}  // namespace lockstep::report
