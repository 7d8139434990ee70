#include "diagnose/logs/finished_ranks.h"

#include <algorithm>
#include <map>

#include "base/text_search/regex.h"
#include "diagnose/logs/line.h"
#include "model/finding_code.h"

namespace lockstep::logs {

using catalogue::Catalogue;
using catalogue::Printer;
using catalogue::Role;
using catalogue::Symptom;

std::vector<int> who_ended_early(const Candidate& complaint, const model::Finding& finding,
                                 const std::set<int>& done) {
  const bool is_about_others =
      complaint.symptom->printer == Printer::kVictim || complaint.role == Role::kCascade;
  const bool ends_with_them =
      std::ranges::any_of(complaint.ranks, [&](int rank) { return done.contains(rank); });
  if (!is_about_others || ends_with_them) return {};
  const std::vector<int>& named = finding.root_ranks;
  if (named.size() == 1 && done.contains(named.front())) return named;
  const bool are_fewer = done.size() <= complaint.ranks.size();
  return named.empty() && are_fewer ? std::vector<int>(done.begin(), done.end()) : std::vector<int>();
}

void describe_who_ended_early(const Catalogue& catalogue, std::vector<int> ranks,
                              const std::set<int>& complaining, model::Finding& finding) {
  if (finding.root_ranks.empty()) {
    finding.root_ranks = std::move(ranks);
    finding.victim_ranks.assign(complaining.begin(), complaining.end());
  }
  const Symptom& entry = catalogue.at(model::codes::kEndedEarly);
  finding.leaf = entry.leaf;
  finding.code = entry.code;
  finding.scope = entry.scope;
  finding.title = entry.title;
  finding.explanation =
      entry.meaning + " Its own log says that it is done; the others only say that it is gone.";
  finding.fixes = entry.fixes;
}

namespace {

// Of all ranks of a log: the last lines of each are in here, or it is not said to be done.
constexpr std::size_t kFinishedRanksBytes = std::size_t{16} << 10;

bool says_it_finished(std::string_view line) {
  static const base::Regex done = base::Regex::of_our_own(
      R"(\b(done|finished|trained|training (is )?(complete|over|ended)|completed( successfully)?)\b)");
  static const base::Regex not_really = base::Regex::of_our_own(
      R"(\b(not|never|un\w+|fail\w*|\w*error\w*|\w*exception\w*|with exit|abort\w*)\b)");
  return done.found_in(line) && !not_really.found_in(line);
}

}  // namespace

std::set<int> finished_ranks(std::span<const LogText> logs, const LineSources& sources) {
  std::set<int> done;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    const std::string_view bytes = logs[log].bytes;
    std::map<int, bool> is_done;  // by the last line of each
    for_each_tail_line(bytes, kFinishedRanksBytes, [&](std::string_view line, LineSpan span) {
      const std::optional<int> rank = logs[log].rank ? logs[log].rank : sources.at(log, span).rank;
      if (rank) is_done[*rank] = says_it_finished(line);
    });
    for (const auto& [rank, is_last_word] : is_done) {
      if (is_last_word) done.insert(rank);
    }
    let_go(logs[log]);
  }
  return done;
}

bool every_rank_finished(std::span<const LogText> logs, const LineSources& sources,
                         const std::set<int>& ranks) {
  return !ranks.empty() && std::ranges::includes(finished_ranks(logs, sources), ranks);
}

}  // namespace lockstep::logs
