#include "diagnose/logs/watchdog_calls.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text_search/regex.h"
#include "model/finding_code.h"
#include "model/rank.h"

namespace lockstep::logs {
namespace {

struct Place {
  std::string group;  // empty: the line names none
  std::string number;

  auto operator<=>(const Place&) const = default;
};

// By operation.
using Callers = std::map<std::string, std::set<int>>;

std::optional<std::pair<Place, std::string>> call_in(const std::string& line) {
  static const base::Regex work =
      base::Regex::of_our_own(R"(WorkNCCL\(SeqNum=(?P<number>\d+), OpType=(?P<operation>\w+))");
  static const base::Regex group = base::Regex::of_our_own(R"(PG GUID (?P<group>[^\s\]]+))");
  const auto call = work.capture(line);
  if (!call) return std::nullopt;
  const auto named = group.capture(line);
  return std::pair(Place{named ? named->at("group") : "", call->at("number")}, call->at("operation"));
}

std::map<Place, Callers> calls_of(std::span<const LogText> logs, const Candidate& complaint) {
  std::map<Place, Callers> calls;
  for (const Sighting* sighting : complaint.sightings) {
    if (!sighting->rank) continue;
    const LineSpan line = sighting->line;
    if (auto call = call_in(std::string(logs[sighting->log].bytes.substr(line.begin, line.end - line.begin))))
      calls[call->first][call->second].insert(*sighting->rank);
  }
  return calls;
}

// Two operations, one of them called by more ranks; of equally many neither is the odd one.
bool has_an_odd_one(const Callers& callers) {
  return callers.size() == 2 && callers.begin()->second.size() != callers.rbegin()->second.size();
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

void describe_calls_that_differ(const catalogue::Catalogue& catalogue, std::span<const LogText> logs,
                                const Candidate& complaint, model::Finding& finding) {
  for (const auto& [place, callers] : calls_of(logs, complaint)) {
    if (!has_an_odd_one(callers)) continue;
    const bool is_first_odd = callers.begin()->second.size() < callers.rbegin()->second.size();
    const auto& [odd_call, odd] = is_first_odd ? *callers.begin() : *callers.rbegin();
    const auto& [usual_call, usual] = is_first_odd ? *callers.rbegin() : *callers.begin();
    const catalogue::Symptom& entry = catalogue.at(model::codes::kMismatchOperation);
    finding.leaf = entry.leaf;
    finding.code = entry.code;
    finding.scope = entry.scope;
    finding.root_ranks.assign(odd.begin(), odd.end());
    finding.victim_ranks.assign(usual.begin(), usual.end());
    std::string who = model::ranks_in_words(finding.root_ranks);
    who.front() = 'R';
    finding.title =
        fmt::format("{} called {} while {} called {} (#{})", who, in_lower_case(odd_call),
                    model::ranks_in_words(finding.victim_ranks), in_lower_case(usual_call), place.number);
    finding.explanation =
        entry.meaning + " The watchdog's lines show both at the same number of the same group.";
    finding.fixes = entry.rank_fixes.empty() ? entry.fixes : entry.rank_fixes;
    const auto is_of_the_odd = [&roots = finding.root_ranks](const model::Evidence& one) {
      return one.rank && std::ranges::find(roots, *one.rank) != roots.end();
    };
    std::stable_partition(finding.evidence.begin(), finding.evidence.end(), is_of_the_odd);
    return;
  }
}

}  // namespace lockstep::logs
