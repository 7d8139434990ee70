// The packed form of a catalogue: one line of recipes, one of facts, one for each symptom (code, tab, JSON);
// advice, a line for each code or family that has any (name, tab, remedy, tab, fixes); the pattern sets, each
// after one line that says whose pattern each id is.
#include <charconv>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text_fields.h"
#include "catalogue/catalogue.h"
#include "catalogue/decode.h"
#include "catalogue/symptom.h"

namespace lockstep::catalogue {
namespace {

std::string owners_line(const std::vector<PatternOwner>& owners) {
  std::string line;
  for (const PatternOwner& owner : owners)
    line += fmt::format("{} {} {} ", static_cast<int>(owner.kind), owner.owner, owner.number);
  return line + "\n";
}

std::size_t take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  CHECK(fault == std::errc(), "pattern owners are numbers");
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

std::vector<PatternOwner> owners_from(std::string_view line) {
  std::vector<PatternOwner> owners;
  while (!line.empty()) {
    const auto kind = static_cast<PatternOwner::Kind>(take_number(line));
    const std::size_t owner = take_number(line);
    owners.push_back({kind, owner, take_number(line)});
  }
  return owners;
}

base::Json to_json(const std::vector<model::Fix>& fixes) {
  base::Json list = base::Json::array();
  for (const model::Fix& fix : fixes)
    list.push_back({{"pattern", model::id_of(fix.pattern)},
                    {"title", fix.title},
                    {"steps", fix.steps},
                    {"commands", fix.commands},
                    {"only_for", fix.only_for}});
  return list;
}

// What `fixes_for` answers: fixes for findings that no pattern makes.
const std::vector<model::Fix>& fixes_without_pattern(const Symptom& symptom) {
  static const std::vector<model::Fix> kNone;
  if (!symptom.rank_fixes.empty()) return symptom.rank_fixes;
  return symptom.patterns.empty() ? symptom.fixes : kNone;
}

}  // namespace

std::string Catalogue::packed_advice() const {
  std::string advice;
  for (const auto& [family, remedy] : remedies_)
    advice += fmt::format("{}.\t{}\t\n", family, word_for(remedy));
  for (std::size_t i = 0; i < size(); ++i) {
    const Symptom& entry = symptom(i);
    const std::vector<model::Fix>& fixes = fixes_without_pattern(entry);
    if (fixes.empty() && !entry.remedy) continue;
    advice += fmt::format("{}\t{}\t{}\n", entry.code, entry.remedy ? word_for(*entry.remedy) : "",
                          fixes.empty() ? "" : base::to_text(to_json(fixes), base::JsonLayout::kOneLine));
  }
  return advice;
}

Result<Catalogue::Packed> Catalogue::pack(std::string_view ordinary_text) const {
  std::vector<std::string> telling;
  for (const PatternOwner& owner : telling_owners_)
    telling.push_back(symptom(owner.owner).patterns[owner.number].regex);
  const Prefilter prefilter = TRY(Prefilter::choose(telling, ordinary_text));
  return Packed{packed_entries_,
                packed_advice(),
                owners_line(telling_owners_) + telling_->to_bytes(),
                owners_line(quiet_owners_) + quiet_->to_bytes(),
                owners_line(fact_owners_) + fact_set_->to_bytes(),
                prefilter.to_bytes()};
}

std::optional<Catalogue> Catalogue::unpack(std::string_view entries, std::string_view telling,
                                           std::string_view quiet, std::string_view facts_set,
                                           std::string_view prefilter) {
  Catalogue catalogue;
  catalogue.telling_owners_ = owners_from(base::take_line(telling));
  catalogue.quiet_owners_ = owners_from(base::take_line(quiet));
  catalogue.telling_ = base::PatternSet::from_bytes(telling);
  catalogue.quiet_ = base::PatternSet::from_bytes(quiet);
  catalogue.fact_owners_ = owners_from(base::take_line(facts_set));
  catalogue.fact_set_ = base::PatternSet::from_bytes(facts_set);
  catalogue.prefilter_ = Prefilter::from_bytes(prefilter);
  const std::string_view recipes = base::take_line(entries);
  const auto facts_json = base::parse_json(base::take_line(entries), "built-in facts");
  CHECK(facts_json.ok(), "the built-in facts are JSON");
  auto facts = decode_facts(facts_json.value(), "built-in facts");
  CHECK(facts.ok(), "the built-in facts are sound");
  catalogue.facts_ = std::move(facts).value();
  std::vector<std::pair<std::string_view, std::string_view>> symptoms;
  while (!entries.empty()) {
    const std::string_view line = base::take_line(entries);
    const std::size_t tab = line.find('\t');
    symptoms.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  catalogue.shelf_ = std::make_unique<SymptomShelf>(std::move(symptoms), recipes);
  if (!catalogue.telling_ || !catalogue.quiet_ ||
      !catalogue.fact_set_) {  // another kind of processor than the build's
    if (!catalogue.compile().ok()) return std::nullopt;
  }
  return catalogue;
}

}  // namespace lockstep::catalogue
