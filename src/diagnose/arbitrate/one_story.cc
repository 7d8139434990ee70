// One fault, told once: no line tells of two, and what follows from the cause stands below it.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "diagnose/arbitrate/rules.h"
#include "diagnose/arbitrate/weigh.h"
#include "model/finding_code.h"
#include "model/rank.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::Outcome;

using Line = std::tuple<std::string, std::int64_t>;

// What has no number is no line that two could share.
std::set<Line> lines_of(const Finding& finding) {
  std::set<Line> lines;
  for (const model::Evidence& one : finding.evidence) {
    if (one.line) lines.emplace(one.file, *one.line);
  }
  return lines;
}

bool is_within(const std::set<Line>& some, const std::set<Line>& all) {
  return !some.empty() && std::ranges::includes(all, some);
}

bool is_among(const std::vector<int>& some, const std::vector<int>& all) {
  return std::ranges::includes(all, some);
}

bool tells_of_an_end(const Finding& finding) {
  return only_tells_how_a_process_ended(finding) || is_a_lost_rank(finding);
}

// The rank that raised it, or a rank that is not known, is the one that then ended by its own status.
bool is_end_of(const Finding& ended, const Finding& exception) {
  return only_tells_how_a_process_ended(ended) && ended.leaf == model::Leaf::kRunOther &&
         ended.root_ranks.size() == 1 &&
         (exception.root_ranks == ended.root_ranks || names_no_rank(exception));
}

// Who began it is told otherwise: two accusations of one fault would contradict each other.
bool accuses_another(const Finding& cause, const Finding& other) {
  return !cause.root_ranks.empty() && !is_among(other.root_ranks, cause.root_ranks) &&
         !is_among(other.root_ranks, cause.victim_ranks);
}

bool can_be_a_cause(const Finding& finding) {
  if (finding.code.is(model::CodeFamily::kLeaf) || finding.code.is_echo()) return false;
  return model::is_fatal(finding.leaf) || is_about_waiting(finding) ||
         finding.code.is(model::CodeFamily::kMismatch);
}

bool is_a_guess(const Finding& finding) {
  return finding.code.is(model::CodeFamily::kLeaf) || finding.code.is(model::CodeFamily::kGuess);
}

bool follows_from(const Finding& cause, const Finding& other) {
  if (is_a_guess(other)) return false;
  if (other.code.is_echo()) return true;
  if (tells_of_an_end(other)) return true;
  const bool is_misfit = cause.code.is(model::CodeFamily::kMismatch);
  if (is_misfit && (other.leaf == model::Leaf::kRunSegv || other.leaf == model::Leaf::kRunGraph)) return true;
  return is_about_waiting(other) && !accuses_another(cause, other);
}

// Two witnesses who name the same ranks.
bool confirms(const Finding& cause, const Finding& follower) {
  return !cause.root_ranks.empty() && cause.root_ranks == follower.root_ranks &&
         (tells_of_an_end(follower) || is_about_waiting(follower));
}

// "Rank 1 failed first" would contradict the cause.
void tell_as_what_followed(Finding& follower) {
  if (!only_tells_how_a_process_ended(follower) || follower.evidence.empty()) return;
  if (follower.root_ranks.empty()) return;  // nobody is said to have failed first
  std::string who = model::ranks_in_words(follower.root_ranks);
  who.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(who.front())));
  const std::string& how = follower.evidence.front().text;
  follower.title = fmt::format("{} ended: {}", who, how.substr(0, how.find('\n')));
}

}  // namespace

void apply_one_line_one_finding(Story& story) {
  std::vector<std::pair<std::set<Line>, model::FindingCode>> earlier;
  std::erase_if(story.logs, [&](const Claim& claim) {
    const std::set<Line> lines = lines_of(claim.finding);
    const auto same =
        std::ranges::find_if(earlier, [&](const auto& one) { return is_within(lines, one.first); });
    if (same != earlier.end()) {
      story.note(Outcome::kFoldedInto, claim.finding.code, same->second);
      return true;
    }
    earlier.emplace_back(lines, claim.finding.code);
    return false;
  });
}

void apply_exit_after_exception(Story& story) {
  for (Claim& claim : story.logs) {
    Finding& exception = claim.finding;
    if (exception.code != model::codes::kScriptException || !is_printed(exception)) continue;
    const auto ended = std::ranges::find_if(
        story.ranks, [&](const Claim& shown) { return is_end_of(shown.finding, exception); });
    if (ended == story.ranks.end()) continue;
    if (exception.root_ranks.empty()) {
      exception.root_ranks = ended->finding.root_ranks;
      exception.victim_ranks = ended->finding.victim_ranks;
      story.note(Outcome::kRanksNamed, exception.code, ended->finding.code);
    }
    if (!is_among(ended->finding.victim_ranks, exception.victim_ranks)) {
      std::vector<int> all;
      std::ranges::set_union(exception.victim_ranks, ended->finding.victim_ranks, std::back_inserter(all));
      exception.victim_ranks = std::move(all);
      story.note(Outcome::kRanksNamed, exception.code, ended->finding.code);
    }
    if (exception.confidence < kSeenAndConfirmed) {
      exception.confidence = kSeenAndConfirmed;
      story.note(Outcome::kConfidenceChanged, exception.code, ended->finding.code);
    }
    return;
  }
}

void apply_one_story(Story& story) {
  const std::vector<const Claim*> order = story.in_order();
  if (order.size() < 2 || !can_be_a_cause(order.front()->finding)) return;
  const auto claim_at = [&](const Claim* wanted) -> Claim& {
    for (auto* side : {&story.ranks, &story.logs}) {
      for (Claim& claim : *side) {
        if (&claim == wanted) return claim;
      }
    }
    return story.ranks.front();
  };
  Finding& cause = claim_at(order.front()).finding;
  const bool is_shown = is_sure(cause, story.ranks);
  for (std::size_t i = 1; i < order.size(); ++i) {
    Finding& other = claim_at(order[i]).finding;
    if (other.code == cause.code || !follows_from(cause, other)) continue;
    other.consequence_of = cause.code;
    tell_as_what_followed(other);
    story.note(Outcome::kExplainedBy, other.code, cause.code);
    if (!confirms(cause, other) || cause.confidence >= other.confidence) continue;
    cause.confidence = other.confidence;
    story.note(Outcome::kConfidenceChanged, cause.code, other.code);
  }
  if (!is_shown) return;
  const model::FindingCode code = cause.code;
  std::erase_if(story.logs, [&](const Claim& claim) {
    const bool is_idle = is_a_guess(claim.finding);
    if (is_idle) story.note(Outcome::kDropped, claim.finding.code, code);
    return is_idle;
  });
}

}  // namespace lockstep::diagnose
