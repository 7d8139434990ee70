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

// Something broke, and the job with it. Slowness, bad results and a slow transport stand beside what broke.
bool tells_of_a_failure(const Finding& finding) {
  switch (finding.leaf) {
    case model::Leaf::kSetupProto:
    case model::Leaf::kPerfSlow:
    case model::Leaf::kPerfParallel:
    case model::Leaf::kPerfResult:
    case model::Leaf::kPerfConverge:
      return false;
    default:
      return true;
  }
}

bool can_be_a_cause(const Finding& finding) {
  if (finding.code.is(model::CodeFamily::kLeaf) || finding.code.is_echo()) return false;
  return tells_of_a_failure(finding) || finding.code.is(model::CodeFamily::kMismatch);
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

// Another reading of what the logs say of one failure: the judge of logs is half as sure of each as of the
// one before, so beside a first one that is sure they are not faults of their own.
bool reads_the_same_failure(const Finding& cause, const Finding& other) {
  return tells_of_a_failure(cause) && tells_of_a_failure(other) && !is_a_guess(other) &&
         !accuses_another(cause, other);
}

bool is_a_hang(const Finding& finding) {
  return finding.leaf == model::Leaf::kSetupHang || finding.leaf == model::Leaf::kPrepHang ||
         finding.leaf == model::Leaf::kPerfHang;
}

// A hang that is shown, and one that the words of the logs resemble.
bool guesses_the_same(const Finding& cause, const Finding& guess) {
  return is_a_guess(guess) && is_a_hang(cause) && is_a_hang(guess);
}

// Two witnesses who name the same ranks.
bool confirms(const Finding& cause, const Finding& follower) {
  return !cause.root_ranks.empty() && cause.root_ranks == follower.root_ranks &&
         (tells_of_an_end(follower) || is_about_waiting(follower));
}

bool is_from_logs(const Story& story, const Finding& finding) {
  return std::ranges::any_of(story.logs, [&](const Claim& claim) { return &claim.finding == &finding; });
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
  const bool is_read_for_sure = is_shown && is_from_logs(story, cause);
  for (std::size_t i = 1; i < order.size(); ++i) {
    Finding& other = claim_at(order[i]).finding;
    const bool is_another_reading =
        is_read_for_sure && is_from_logs(story, other) && reads_the_same_failure(cause, other);
    if (other.code == cause.code || (!is_another_reading && !follows_from(cause, other))) continue;
    other.consequence_of = cause.code;
    tell_as_what_followed(other);
    story.note(Outcome::kExplainedBy, other.code, cause.code);
    if (!confirms(cause, other) || cause.confidence >= other.confidence) continue;
    cause.confidence = other.confidence;
    story.note(Outcome::kConfidenceChanged, cause.code, other.code);
  }
  const Finding known = cause;
  const model::FindingCode& code = known.code;
  std::erase_if(story.logs, [&](const Claim& claim) {
    const bool is_idle = claim.finding.code != code &&
                         (is_shown ? is_a_guess(claim.finding) : guesses_the_same(known, claim.finding));
    if (is_idle) story.note(Outcome::kDropped, claim.finding.code, code);
    return is_idle;
  });
}

}  // namespace lockstep::diagnose
