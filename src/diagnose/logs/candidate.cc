#include "diagnose/logs/candidate.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "diagnose/logs/context.h"
#include "model/finding_code.h"

namespace lockstep::logs {
namespace {

using catalogue::Catalogue;
using catalogue::Pattern;
using catalogue::PatternOwner;
using catalogue::Role;
using catalogue::Strength;
using catalogue::Variant;

bool ends_log(LineSpan line, std::string_view bytes) {
  constexpr std::string_view kBlank = " \t\r\n-=";
  return bytes.find_first_not_of(kBlank, line.end) == std::string_view::npos;
}

class Confirmer {
 public:
  Confirmer(const Catalogue& catalogue, std::span<const LogText> logs, const Context& context,
            const LineSources& sources)
      : catalogue_(catalogue), logs_(logs), context_(context), sources_(sources), quiet_(catalogue.quiet()) {}

  std::optional<Sighting> confirm(std::size_t log, const Hit& hit) {
    const PatternOwner& owner = catalogue_.owner_of_telling(hit.pattern);
    Sighting sighting;
    sighting.symptom = &catalogue_.symptom(owner.owner);
    sighting.log = log;
    sighting.line = hit.line;
    sighting.pattern = &sighting.symptom->patterns[owner.number];
    if (sighting.pattern->only_as_last_line && !ends_log(hit.line, logs_[log].bytes)) return std::nullopt;
    const std::string& telling_part = telling_part_of(log, hit.line);
    if (telling_part.empty()) return std::nullopt;
    auto captures = regexes_[sighting.pattern->regex].capture(telling_part);
    if (!captures) return std::nullopt;
    const std::string& unless = sighting.pattern->unless;
    if (!unless.empty() && regexes_[unless].found_in(telling_part)) return std::nullopt;
    sighting.captures = *std::move(captures);
    sighting.stage = context_.stage_at(log, hit.line.begin);
    if (!context_.holds(sighting.pattern->when, sighting.stage, sighting.captures)) return std::nullopt;
    if (!context_.allows(*sighting.pattern)) return std::nullopt;
    sighting.variant = variant_for(sighting);
    const LineSource source = sources_.at(log, hit.line);
    sighting.rank = source.rank;
    sighting.time_ns = source.time_ns;
    return sighting;
  }

 private:
  const Variant* variant_for(const Sighting& sighting) const {
    const auto& variants = sighting.symptom->variants;
    const auto found = std::ranges::find_if(variants, [&](const Variant& variant) {
      return context_.holds(variant.when, sighting.stage, sighting.captures);
    });
    return found == variants.end() ? nullptr : &*found;
  }

  // The line up to where it begins to advise; empty for a line that is noise. Kept for the line's other hits.
  const std::string& telling_part_of(std::size_t log, const LineSpan& line) {
    if (log == last_log_ && line == last_line_) return telling_part_;
    last_log_ = log;
    last_line_ = line;
    telling_part_ = without_terminal_codes(logs_[log].bytes.substr(line.begin, line.end - line.begin));
    std::size_t telling_end = telling_part_.size();
    quiet_.scan(telling_part_, [&](unsigned id, std::size_t /*end*/) {
      const PatternOwner& owner = catalogue_.owner_of_quiet(id);
      const Pattern& pattern = catalogue_.symptom(owner.owner).patterns[owner.number];
      if (!pattern.unless.empty() && regexes_[pattern.unless].found_in(telling_part_)) return;
      if (!context_.holds(pattern.when, Stage::kUnknown, {})) return;
      const std::size_t begin =
          pattern.role == Role::kNoise
              ? 0
              : regexes_[pattern.regex].position_in(telling_part_).value_or(telling_end);
      telling_end = std::min(telling_end, begin);
    });
    telling_part_.resize(telling_end);
    return telling_part_;
  }

  const Catalogue& catalogue_;
  std::span<const LogText> logs_;
  const Context& context_;
  const LineSources& sources_;
  base::PatternScanner quiet_;
  RegexCache regexes_;
  std::size_t last_log_ = static_cast<std::size_t>(-1);
  LineSpan last_line_;
  std::string telling_part_;
};

bool follows_from_another(Role role) {
  return role != Role::kOrigin;
}

// A catch-all on a line that is known as somebody else's echo says nothing new.
void drop_hints_on_echoes(std::vector<Sighting>& sightings) {
  std::set<std::pair<std::size_t, std::size_t>> echoes;
  for (const Sighting& sighting : sightings) {
    if (follows_from_another(sighting.pattern->role)) echoes.emplace(sighting.log, sighting.line.begin);
  }
  std::erase_if(sightings, [&](const Sighting& sighting) {
    return sighting.pattern->role == Role::kOrigin && sighting.strength() == Strength::kHint &&
           echoes.contains({sighting.log, sighting.line.begin});
  });
}

void drop_too_few(std::vector<Sighting>& sightings) {
  std::map<const Pattern*, std::size_t> counts;
  for (const Sighting& sighting : sightings) ++counts[sighting.pattern];
  std::erase_if(sightings, [&](const Sighting& sighting) {
    return counts[sighting.pattern] < sighting.pattern->at_least;
  });
}

// A last line counts only where the log has nothing worse to say, and no other log tells that the job trains:
// a server that only serves ends its log like one that waits in vain.
void drop_last_lines_that_are_not(std::vector<Sighting>& sightings, std::span<const LogText> logs,
                                  const Context& context) {
  bool is_training = false;
  for (std::size_t log = 0; log < logs.size(); ++log)
    is_training = is_training || context.is_training_in(log);
  const bool has_other = std::ranges::any_of(sightings, [](const Sighting& sighting) {
    return !sighting.pattern->only_as_last_line && sighting.pattern->role == Role::kOrigin;
  });
  std::erase_if(sightings, [&](const Sighting& sighting) {
    return sighting.pattern->only_as_last_line &&
           (has_other || (is_training && !context.is_training_in(sighting.log)));
  });
}

}  // namespace

std::vector<Sighting> sightings_in(const Catalogue& catalogue, std::span<const LogText> logs,
                                   std::span<const Scan> scans, const Context& context,
                                   const LineSources& sources) {
  Confirmer confirmer(catalogue, logs, context, sources);
  std::vector<Sighting> sightings;
  for (std::size_t log = 0; log < scans.size(); ++log) {
    for (const Hit& hit : scans[log].hits) {
      if (auto sighting = confirmer.confirm(log, hit)) sightings.push_back(*std::move(sighting));
    }
    if (!scans[log].hits.empty()) let_go(logs[log]);
  }
  drop_too_few(sightings);
  drop_hints_on_echoes(sightings);
  drop_last_lines_that_are_not(sightings, logs, context);
  return sightings;
}

namespace {

using catalogue::Printer;
using catalogue::Symptom;

int order_of(Role role) {
  return role == Role::kOrigin ? 0 : role == Role::kCascade ? 1 : 2;
}

std::optional<std::int64_t> first_time_of(const Candidate& candidate) {
  std::optional<std::int64_t> first;
  for (const Sighting* sighting : candidate.sightings) {
    if (!sighting->time_ns) return std::nullopt;
    first = std::min(first.value_or(*sighting->time_ns), *sighting->time_ns);
  }
  return first;
}

bool is_printed_before(const Candidate& one, const Candidate& other) {
  const Sighting& first = *one.sightings.front();
  const Sighting& second = *other.sightings.front();
  return first.log == second.log && first.line.begin < second.line.begin;
}

bool shares_no_rank(const Candidate& one, const Candidate& other) {
  return std::ranges::none_of(one.ranks, [&](int rank) { return other.ranks.contains(rank); });
}

// All but those that only slow, stop or spoil a job.
bool ends_its_rank(model::Leaf leaf) {
  const std::string_view id = model::entry_of(leaf).id;
  return !id.starts_with("PERF-") && !id.ends_with("-HANG") && !id.ends_with("-PROTO");
}

// Who waits in vain for another rank says nothing of what that one came to grief on: a rank that ended, or an
// exception that stands before the first complaint.
bool is_outdone_by_another_rank(const Candidate& waiting, const std::vector<Candidate>& all) {
  if (waiting.symptom->printer != Printer::kVictim) return false;
  return std::ranges::any_of(all, [&](const Candidate& other) {
    if (other.role != Role::kOrigin || other.symptom->printer == Printer::kVictim) return false;
    const bool is_elsewhere =
        !waiting.ranks.empty() && !other.ranks.empty() && shares_no_rank(waiting, other);
    if (is_elsewhere && other.strength >= waiting.strength) return true;
    return other.strength >= Strength::kWeak && ends_its_rank(other.leaf) &&
           (is_elsewhere || (other.ranks.empty() && is_printed_before(other, waiting)));
  });
}

// Within one log the earlier line is the earlier event; files of their own for each rank have a common order
// only where all lines have times.
void sort_by_likelihood(std::vector<Candidate>& candidates) {
  const bool timed =
      std::ranges::all_of(candidates, [](const Candidate& one) { return first_time_of(one).has_value(); });
  std::set<const Symptom*> outdone;
  for (const Candidate& candidate : candidates) {
    if (is_outdone_by_another_rank(candidate, candidates)) outdone.insert(candidate.symptom);
  }
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& candidate) {
    const Sighting& first = *candidate.sightings.front();
    const bool is_outdone = outdone.contains(candidate.symptom);
    const Strength strength = is_outdone ? std::min(candidate.strength, Strength::kHint) : candidate.strength;
    return std::tuple(order_of(candidate.role), -static_cast<int>(strength), is_outdone,
                      timed ? first_time_of(candidate).value_or(0) : 0, first.line.begin, first.log);
  });
}

// What a sighting tells beyond that the symptom is there.
auto amount_told(const Sighting& sighting) {
  return std::tuple(sighting.strength(), sighting.variant != nullptr, !sighting.captures.empty());
}

void add(Candidate& candidate, const Sighting& sighting) {
  const Role role = sighting.pattern->role;
  if (candidate.lead == nullptr || order_of(role) < order_of(candidate.role)) candidate.role = role;
  if (candidate.lead == nullptr || amount_told(sighting) > amount_told(*candidate.lead)) {
    candidate.lead = &sighting;
    candidate.strength = sighting.strength();
    candidate.leaf = sighting.leaf();
    candidate.variant = sighting.variant;
  }
  candidate.sightings.push_back(&sighting);
  if (sighting.rank) candidate.ranks.insert(*sighting.rank);
}

}  // namespace

std::vector<Candidate> candidates_from(std::span<const Sighting> sightings) {
  std::vector<Candidate> candidates;
  for (const Sighting& sighting : sightings) {
    auto found = std::ranges::find(candidates, sighting.symptom, &Candidate::symptom);
    if (found == candidates.end()) {
      Candidate fresh;
      fresh.symptom = sighting.symptom;
      found = candidates.insert(candidates.end(), std::move(fresh));
    }
    add(*found, sighting);
  }
  sort_by_likelihood(candidates);
  return candidates;
}

}  // namespace lockstep::logs
