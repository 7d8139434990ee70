#include "diagnose/logs/finding_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text_search/regex.h"
#include "catalogue/symptom.h"
#include "diagnose/logs/candidate.h"
#include "diagnose/logs/exception_place.h"
#include "diagnose/logs/line.h"
#include "model/finding.h"
#include "model/finding_code.h"
#include "model/rank.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;
using catalogue::Symptom;

model::Finding finding_about(const Symptom& symptom, const Sighting& sighting, std::span<const LogText> logs,
                             std::optional<model::Scope> likely_scope = {}) {
  Candidate candidate;
  candidate.symptom = &symptom;
  candidate.leaf = symptom.leaf;
  candidate.lead = &sighting;
  candidate.sightings = {&sighting};
  return finding_from(candidate, logs, {}, 0, likely_scope);
}

}  // namespace

model::Finding silent_finding(const Catalogue& catalogue, std::span<const LogText> logs,
                              const SilentSign& sign) {
  Sighting sighting;
  sighting.symptom = &catalogue.at(sign.code);
  sighting.log = sign.log;
  sighting.line = sign.line;
  sighting.rank = logs[sign.log].rank;
  model::Finding finding = finding_about(*sighting.symptom, sighting, logs);
  finding.root_ranks.clear();
  if (sign.root_rank) finding.root_ranks.push_back(*sign.root_rank);
  finding.evidence.front().level = model::EvidenceLevel::kAbsence;
  return finding;
}

const Symptom& leaf_entry(const Catalogue& catalogue, model::Leaf leaf) {
  return catalogue.at(model::guess_at(leaf));
}

model::Finding guessed_finding(const Catalogue& catalogue, std::span<const LogText> logs, model::Leaf leaf,
                               std::optional<model::Scope> likely_scope, bool is_known_as_another) {
  Sighting nowhere;
  nowhere.symptom = &leaf_entry(catalogue, leaf);
  model::Finding finding = finding_about(*nowhere.symptom, nowhere, logs, likely_scope);
  finding.evidence.clear();
  finding.title = "A guess: " + finding.title;
  finding.explanation =
      (is_known_as_another
           ? "The lines below are known from another kind of fault as well; the log as a whole "
             "resembles this kind more. "
           : "No entry of the catalogue knows these lines; their words resemble this kind of fault. ") +
      finding.explanation;
  return finding;
}

namespace {

// Is the fault there only because the training is distributed? Decided from who printed it, and said with the
// reason.
struct ScopeJudgement {
  model::Scope scope = model::Scope::kUnknown;
  std::string reason;  // one sentence; empty where the scope is what is usual, and not known
};

using catalogue::ScopeRule;

std::string in_words(const std::set<int>& ranks) {
  return model::compress_ranks({ranks.begin(), ranks.end()});
}

ScopeJudgement as_it_seems(const Candidate& candidate, std::optional<model::Scope> likely) {
  const bool varies = candidate.variant != nullptr && candidate.variant->scope;
  const model::Scope scope = varies ? *candidate.variant->scope : candidate.symptom->scope;
  if (candidate.symptom->scope_rule == ScopeRule::kByNature && !varies) {
    return {scope, scope == model::Scope::kDistributed ? "It takes more than one rank to happen."
                                                       : "A single rank fails in the same way."};
  }
  return {likely.value_or(scope), ""};
}

// `roots`: who began it, as far as that can be told. `speaking`: every rank that printed anything that is
// known of.
ScopeJudgement judge_scope(const Candidate& candidate, const std::set<int>& roots,
                           const std::set<int>& speaking, std::optional<model::Scope> likely) {
  if (candidate.symptom->scope_rule != ScopeRule::kByRanks || candidate.ranks.size() < 1 ||
      speaking.size() < 2)
    return as_it_seems(candidate, likely);
  if (candidate.ranks.size() == speaking.size() && !roots.empty()) {
    return {
        model::Scope::kDistributed,
        fmt::format("All ranks print it, rank {} in an earlier step than the others, so it is a distributed "
                    "fault.",
                    in_words(roots))};
  }
  if (candidate.ranks.size() == speaking.size()) {
    return {model::Scope::kOrdinary,
            fmt::format("Not a distributed fault: all {} ranks that wrote anything print the same.",
                        speaking.size())};
  }
  return {model::Scope::kDistributed,
          fmt::format("Only rank {} of ranks {} prints it.", in_words(candidate.ranks), in_words(speaking))};
}

// Who showed first what all ranks show in the end, by the steps that their lines name.

using Step = std::pair<std::uint64_t, std::uint64_t>;  // epoch, or 0 where none is named, and step

std::optional<std::uint64_t> number_named(const base::Regex& regex, const std::string& line) {
  const auto captures = regex.capture(line);
  if (!captures) return std::nullopt;
  const std::string& text = captures->at("number");
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<Step> step_in(const std::string& line) {
  static const base::Regex kStep =
      base::Regex::of_our_own(R"((\b|_)(step|iter|iteration|batch|it)s?\b["']?[ :=#\[(]+(?P<number>\d+)\b)");
  static const base::Regex kEpoch = base::Regex::of_our_own(R"(\bepoch\b["']?[ :=#\[(]+(?P<number>\d+)\b)");
  const auto step = number_named(kStep, line);
  const auto epoch = number_named(kEpoch, line);
  if (!step) return std::nullopt;
  return Step{epoch.value_or(0), *step};
}

std::optional<std::map<int, Step>> first_steps(const Candidate& candidate, std::span<const LogText> logs) {
  std::map<int, Step> first;
  for (const Sighting* sighting : candidate.sightings) {
    const LineSpan line = sighting->line;
    const auto step =
        step_in(std::string(logs[sighting->log].bytes.substr(line.begin, line.end - line.begin)));
    if (!step || !sighting->rank) return std::nullopt;
    const auto [place, is_new] = first.try_emplace(*sighting->rank, *step);
    if (!is_new) place->second = std::min(place->second, *step);
  }
  return first;
}

// A value that is no number spreads from one rank to all of them in the next exchange, so the rank that
// prints it in an earlier step than the others has it from nobody. Empty where a line names no step or rank,
// or no rank is earlier than another.
std::set<int> first_by_step(const Candidate& candidate, std::span<const LogText> logs) {
  const auto first = first_steps(candidate, logs);
  if (!first || first->size() < 2) return {};
  const auto earliest =
      std::ranges::min_element(*first, {}, [](const auto& one) { return one.second; })->second;
  std::set<int> ranks;
  for (const auto& [rank, step] : *first) {
    if (step == earliest) ranks.insert(rank);
  }
  return ranks.size() < first->size() ? ranks : std::set<int>();
}

using catalogue::Printer;
using catalogue::Role;
using catalogue::worded;

constexpr std::size_t kMaxEvidence = 6;
constexpr std::size_t kLongestEvidence = 600;

model::Evidence evidence_from(const Sighting& sighting, std::span<const LogText> logs) {
  const LogText& log = logs[sighting.log];
  const std::size_t length = std::min(sighting.line.end - sighting.line.begin, kLongestEvidence);
  return {.file = log.name,
          .line = log.line_marks.line_at(log.bytes, sighting.line.begin),
          .rank = sighting.rank,
          .text = std::string(log.bytes.substr(sighting.line.begin, length)),
          .level = model::EvidenceLevel::kSeen};
}

// The first line of each rank, then more of the same up to the limit.
std::vector<model::Evidence> evidence_of(const Candidate& candidate, std::span<const LogText> logs) {
  std::vector<const Sighting*> chosen;
  std::set<std::optional<int>> shown;
  for (const Sighting* sighting : candidate.sightings) {
    if (chosen.size() < kMaxEvidence && shown.insert(sighting->rank).second) chosen.push_back(sighting);
  }
  std::vector<model::Evidence> evidence;
  for (const Sighting* sighting : chosen) evidence.push_back(evidence_from(*sighting, logs));
  return evidence;
}

// "0, 1, 4" or "3" as numbers.
std::set<int> ranks_in(std::string_view list) {
  std::set<int> ranks;
  while (!list.empty()) {
    int rank = 0;
    const auto [end, fault] = std::from_chars(list.data(), list.data() + list.size(), rank);
    if (fault == std::errc()) ranks.insert(rank);
    const auto read = static_cast<std::size_t>(end - list.data());
    list.remove_prefix(std::max<std::size_t>(read, 1));
  }
  return ranks;
}

std::set<int> named_ranks(const Candidate& candidate) {
  std::set<int> named;
  for (const Sighting* sighting : candidate.sightings) {
    const auto captured = sighting->captures.find("rank");
    if (captured != sighting->captures.end()) named.merge(ranks_in(captured->second));
  }
  return named;
}

// Ranks that waited in vain print it. Where all but one did, that one is whom they waited for; where fewer
// did, the launcher may have ended the rest before they could.
std::set<int> whom_all_others_waited_for(const Candidate& candidate, const std::set<int>& speaking) {
  std::set<int> quiet;
  std::ranges::set_difference(speaking, candidate.ranks, std::inserter(quiet, quiet.end()));
  return quiet.size() == 1 ? quiet : std::set<int>();
}

std::set<int> root_ranks_of(const Candidate& candidate, std::span<const LogText> logs,
                            const std::set<int>& speaking) {
  std::set<int> named = named_ranks(candidate);
  const Printer printer = candidate.symptom->printer;
  if (printer == Printer::kEither) return speaking.size() > 2 ? named : std::set<int>();
  if (named.empty() && printer == Printer::kVictim) return whom_all_others_waited_for(candidate, speaking);
  if (!named.empty() || printer == Printer::kVictim || candidate.role != Role::kOrigin) return named;
  const bool everybody = candidate.ranks.size() == speaking.size() && speaking.size() > 1;
  return everybody ? first_by_step(candidate, logs) : candidate.ranks;
}

std::string explanation_of(const Candidate& candidate, const std::string& scope_reason) {
  std::string text = worded(candidate.symptom->meaning, candidate.lead->captures);
  if (!candidate.symptom->causes.empty())
    text += fmt::format(" Usual causes: {}.", fmt::join(candidate.symptom->causes, "; "));
  return scope_reason.empty() ? text : text + " " + scope_reason;
}

}  // namespace

model::Finding finding_from(const Candidate& candidate, std::span<const LogText> logs,
                            const std::set<int>& speaking, double confidence,
                            std::optional<model::Scope> likely_scope) {
  const bool has_title = candidate.variant != nullptr && !candidate.variant->title.empty();
  const bool has_fixes = candidate.variant != nullptr && !candidate.variant->fixes.empty();
  const std::set<int> roots = root_ranks_of(candidate, logs, speaking);
  const ScopeJudgement scope = judge_scope(candidate, roots, speaking, likely_scope);
  std::vector<int> victims;
  if (!roots.empty()) std::ranges::set_difference(speaking, roots, std::back_inserter(victims));
  return {.leaf = candidate.leaf,
          .code = candidate.symptom->code,
          .scope = scope.scope,
          .confidence = confidence,
          .root_ranks = {roots.begin(), roots.end()},
          .victim_ranks = std::move(victims),
          .title = worded(has_title ? candidate.variant->title : candidate.symptom->title,
                          candidate.lead->captures),
          .explanation = explanation_of(candidate, scope.reason),
          .evidence = evidence_of(candidate, logs),
          .fixes = has_fixes ? candidate.variant->fixes : candidate.symptom->fixes};
}

std::vector<model::CodePlace> places_of(const Candidate& candidate, std::span<const RaisedException> raised) {
  constexpr std::size_t kLongestMessage = 2000;  // bytes; a line that is known may stand further on in it
  constexpr std::size_t kMaxPlaces = 4;
  std::vector<model::CodePlace> places;
  for (const Sighting* sighting : candidate.sightings) {
    const auto told = std::ranges::find_if(raised, [&](const RaisedException& exception) {
      return exception.log == sighting->log && exception.at.begin <= sighting->line.begin &&
             sighting->line.begin < exception.at.begin + kLongestMessage;
    });
    auto place = told == raised.end() ? std::nullopt : code_place_of(*told);
    if (!place) continue;
    auto known = std::ranges::find_if(places, [&](const model::CodePlace& one) {
      return one.file == place->file && one.line == place->line && one.function == place->function;
    });
    if (known == places.end()) {
      if (places.size() == kMaxPlaces) continue;
      known = places.insert(places.end(), *std::move(place));
    }
    if (sighting->rank && !std::ranges::binary_search(known->ranks, *sighting->rank))
      known->ranks.insert(std::ranges::lower_bound(known->ranks, *sighting->rank), *sighting->rank);
  }
  return places;
}

}  // namespace lockstep::logs
