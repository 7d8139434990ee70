// The catalogue that the binary carries, folders of entries on top of it, and the advice that is looked up by
// itself.
#include <map>

#include "base/check.h"
#include "base/embed.h"
#include "base/json.h"
#include "catalogue/advice.h"
#include "catalogue/catalogue.h"
#include "catalogue/decode.h"
#include "catalogue/embedded.h"
#include "catalogue/folder.h"
#include "catalogue/symptom.h"

LOCKSTEP_EMBED(entries, LOCKSTEP_PACKED_CATALOGUE "/entries.json")
LOCKSTEP_EMBED(advice, LOCKSTEP_PACKED_CATALOGUE "/advice.tsv")
LOCKSTEP_EMBED(telling, LOCKSTEP_PACKED_CATALOGUE "/telling.set")
LOCKSTEP_EMBED(quiet, LOCKSTEP_PACKED_CATALOGUE "/quiet.set")
LOCKSTEP_EMBED(facts, LOCKSTEP_PACKED_CATALOGUE "/facts.set")
LOCKSTEP_EMBED(prefilter, LOCKSTEP_PACKED_CATALOGUE "/prefilter")

namespace lockstep::catalogue {

std::string_view embedded_entries() {
  return {lockstep_entries_begin, lockstep_entries_end};
}

std::string_view embedded_advice() {
  return {lockstep_advice_begin, lockstep_advice_end};
}

std::string_view embedded_telling_set() {
  return {lockstep_telling_begin, lockstep_telling_end};
}

std::string_view embedded_quiet_set() {
  return {lockstep_quiet_begin, lockstep_quiet_end};
}

std::string_view embedded_fact_set() {
  return {lockstep_facts_begin, lockstep_facts_end};
}

std::string_view embedded_prefilter() {
  return {lockstep_prefilter_begin, lockstep_prefilter_end};
}

namespace {

// The embedded entries as the value that a folder of files gives.
base::Json embedded_values() {
  std::string_view entries = embedded_entries();
  const auto take = [&](char stop) {
    const std::size_t end = entries.find(stop);
    const std::string_view part = entries.substr(0, end);
    entries.remove_prefix(end + 1);
    return part;
  };
  const auto parsed = [](std::string_view text) {
    auto json = base::parse_json(text, "built-in catalogue");
    CHECK(json.ok(), "the built-in catalogue is JSON");
    return std::move(json).value();
  };
  base::Json values;
  values["recipes"] = parsed(take('\n'));
  values["facts"] = parsed(take('\n'));
  values["remedies"] = base::Json::object();  // of the service alone, which takes no folders
  while (!entries.empty()) {
    const std::string code(take('\t'));
    values["symptoms"][code] = parsed(take('\n'));
  }
  return values;
}

}  // namespace

Result<Catalogue> Catalogue::load(std::span<const std::filesystem::path> folders) {
  if (folders.empty()) {
    auto catalogue = unpack(embedded_entries(), embedded_telling_set(), embedded_quiet_set(),
                            embedded_fact_set(), embedded_prefilter());
    CHECK(catalogue.has_value(), "the built-in catalogue is sound");
    return *std::move(catalogue);
  }
  base::Json values = embedded_values();
  for (const std::filesystem::path& folder : folders) {
    const base::Json added = TRY(read_catalogue_folder(folder));
    values = overlay(std::move(values), added);
  }
  return from_values(values, folders.back().string());
}

namespace {

struct Advice {
  std::string_view remedy;  // a word, or empty
  std::string_view fixes;   // JSON, or empty
};

// Cuts off and returns what stands before `stop`.
std::string_view take(std::string_view& text, char stop) {
  const std::size_t end = text.find(stop);
  CHECK(end != std::string_view::npos, "the built-in advice is whole");
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end + 1);
  return part;
}

// By code, or by family with its dot: "xid.".
const std::map<std::string_view, Advice>& table() {
  static const std::map<std::string_view, Advice> kTable = [] {
    std::map<std::string_view, Advice> rows;
    std::string_view text = embedded_advice();
    while (!text.empty()) {
      const std::string_view code = take(text, '\t');
      const std::string_view remedy = take(text, '\t');
      rows.emplace(code, Advice{remedy, take(text, '\n')});
    }
    return rows;
  }();
  return kTable;
}

std::optional<Remedy> remedy_at(std::string_view name) {
  const auto row = table().find(name);
  return row == table().end() ? std::nullopt : remedy_named(row->second.remedy);
}

}  // namespace

std::vector<model::Fix> fixes_for(std::string_view code) {
  const auto row = table().find(code);
  if (row == table().end() || row->second.fixes.empty()) return {};
  const auto json = base::parse_json(row->second.fixes, "built-in fixes");
  CHECK(json.ok(), "the built-in fixes are JSON");
  auto fixes = decode_fixes(json.value(), {}, code);
  CHECK(fixes.ok(), "the built-in fixes are sound");
  return std::move(fixes).value();
}

std::vector<std::string_view> codes_with_fixes() {
  std::vector<std::string_view> codes;
  for (const auto& [code, advice] : table()) {
    if (!advice.fixes.empty()) codes.push_back(code);
  }
  return codes;
}

Remedy remedy_for(std::string_view code) {
  if (const auto own = remedy_at(code)) return *own;
  const std::size_t dot = code.find('.');
  if (dot == std::string_view::npos) return Remedy::kNone;
  return remedy_at(code.substr(0, dot + 1)).value_or(Remedy::kNone);
}

}  // namespace lockstep::catalogue
