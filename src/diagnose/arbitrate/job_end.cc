#include <algorithm>
#include <iterator>
#include <utility>

#include "diagnose/arbitrate/arbitrate.h"
#include "diagnose/arbitrate/rules.h"
#include "diagnose/arbitrate/weigh.h"
#include "model/finding_code.h"

namespace lockstep::diagnose {
namespace {

using model::Finding;
using model::FindingCode;
using model::Leaf;
using model::Outcome;

bool all_exited_cleanly(const model::Job& job) {
  return !job.ranks.empty() && job.world_size == static_cast<int>(job.ranks.size()) &&
         std::ranges::all_of(job.ranks, [](const model::RankHistory& history) {
           return history.rank.end == model::RankEnd::kClean;
         });
}

bool has_met_another(const model::RankHistory& history) {
  return std::ranges::any_of(history.events, [](const model::Event& event) {
    return event.kind == model::EventKind::kCollective && event.state == model::EventState::kCompleted;
  });
}

// By its launcher, or because it is elastic.
bool was_restarted_and_ended_well(const model::Job& job) {
  return !job.ranks.empty() && std::ranges::all_of(job.ranks, [](const model::RankHistory& history) {
    return history.rank.restart > 0 && history.rank.end == model::RankEnd::kClean;
  });
}

bool is_an_interruption(const Finding& finding) {
  return finding.code == model::codes::kSchedInterrupted || finding.code == model::codes::kSchedDeathSignal;
}

bool is_caught_by_a_clean_exit(const Finding& finding) {
  return model::is_fatal(finding.leaf) || finding.code.is(model::CodeFamily::kLeaf);
}

// Whoever records also watches; dumps and stacks are taken of jobs that somebody saw hang.
bool is_shown_by_recordings_alone(const Finding& finding) {
  return !finding.evidence.empty() && std::ranges::all_of(finding.evidence, [](const model::Evidence& one) {
    return one.file.ends_with(".lockstep");
  });
}

bool is_about_setup(const Finding& finding) {
  return finding.leaf == Leaf::kSetupFail || finding.leaf == Leaf::kSetupHang;
}

bool is_error_of_its_own(const Finding& finding) {
  return model::is_fatal(finding.leaf) && !is_about_setup(finding) && finding.leaf != Leaf::kRunComm &&
         is_printed(finding);
}

void insert_claim(Story& story, std::vector<Claim>& claims, std::vector<Claim>::iterator before,
                  Claim claim) {
  const FindingCode code = claim.finding.code;
  if (before == claims.end()) {
    story.note(Outcome::kAdded, code);
  } else {
    story.note(Outcome::kOrderedBefore, code, before->finding.code);
  }
  claims.insert(before, std::move(claim));
}

}  // namespace

JobFate fate_of(const model::Job& job) {
  return {.exited_cleanly = all_exited_cleanly(job),
          .had_met = job.ranks.size() > 1 && std::ranges::all_of(job.ranks, has_met_another),
          .was_overcome = was_restarted_and_ended_well(job)};
}

std::optional<Finding> take_interruption(std::vector<Finding>& seen_live) {
  const auto told = std::ranges::find_if(seen_live, is_an_interruption);
  if (told == seen_live.end()) return std::nullopt;
  Finding taken = std::move(*told);
  seen_live.erase(told);
  return taken;
}

void drop_caught_failures(std::vector<Finding>& from_logs) {
  std::erase_if(from_logs, is_caught_by_a_clean_exit);
}

void apply_interruption(Story& story) {
  if (!story.interruption) return;
  std::erase_if(story.ranks, [&](const Claim& claim) {
    const bool is_the_end =
        is_about_waiting(claim.finding) || claim.finding.code.is(model::CodeFamily::kProcess);
    if (is_the_end) story.note(Outcome::kDropped, claim.finding.code, story.interruption->code);
    return is_the_end;
  });
  insert_claim(story, story.ranks, story.ranks.end(), {.finding = *std::move(story.interruption)});
}

void apply_world_size_one(Story& story) {
  if (!story.world_size_one) return;
  insert_claim(story, story.ranks, story.ranks.begin(), {.finding = *std::move(story.world_size_one)});
}

void apply_silent_processes(Story& story) {
  if (!story.silence) return;
  const auto weaker = std::ranges::find_if(
      story.logs, [&](const Claim& claim) { return claim.finding.confidence <= story.silence->confidence; });
  insert_claim(story, story.logs, weaker, {.finding = *std::move(story.silence), .place = Place::kDoubtful});
}

void apply_death_signal(Story& story) {
  if (story.logs.empty()) return;
  Finding& told = story.logs.front().finding;
  if (told.code != model::codes::kSchedDeathSignal) return;
  std::erase_if(story.ranks, [&](Claim& claim) {
    Finding& shown = claim.finding;
    const bool is_lost = shown.code == model::codes::kDeadRank;
    const bool is_the_end_itself =
        !story.was_seen_live && is_about_waiting(shown) && is_shown_by_recordings_alone(shown);
    if (!is_lost && !is_the_end_itself) return false;
    story.note(Outcome::kFoldedInto, shown.code, told.code);
    std::ranges::move(shown.evidence, std::back_inserter(told.evidence));
    if (told.confidence < kConfirmedSignal) {
      told.confidence = kConfirmedSignal;
      story.note(Outcome::kConfidenceChanged, told.code, shown.code);
    }
    return true;
  });
}

void apply_earlier_attempt(Story& story) {
  if (!story.ranks.empty() || !story.fate.was_overcome || story.logs.empty()) return;
  for (const Claim& claim : story.logs) story.note(Outcome::kDropped, claim.finding.code);
  story.logs.clear();
  story.limits_of_ranks.emplace_back(
      "the last attempt came to its end: what was printed before is not judged");
}

void apply_clean_exit(Story& story) {
  if (!story.fate.exited_cleanly) return;
  std::erase_if(story.logs, [&](const Claim& claim) {
    const bool is_caught = is_caught_by_a_clean_exit(claim.finding);
    if (is_caught) story.note(Outcome::kDropped, claim.finding.code);
    return is_caught;
  });
}

void apply_ranks_had_met(Story& story) {
  std::vector<Claim>& logs = story.logs;
  if (!story.fate.had_met || logs.empty() || !is_about_setup(logs.front().finding)) return;
  const auto error =
      std::ranges::find_if(logs, [](const Claim& claim) { return is_error_of_its_own(claim.finding); });
  if (error == logs.end()) return;
  Finding& connection = logs.front().finding;
  story.note(Outcome::kOrderedBefore, error->finding.code, connection.code);
  story.note(Outcome::kConfidenceChanged, error->finding.code, connection.code);
  story.note(Outcome::kConfidenceChanged, connection.code, error->finding.code);
  std::swap(error->finding.confidence, connection.confidence);
  std::rotate(logs.begin(), error, std::next(error));
}

void apply_collect_next(Story& story) {
  const bool is_shown = !story.ranks.empty() && story.ranks.front().finding.confidence >= kClear;
  if (is_shown) return;
  for (const std::string& command : story.collect_next)
    story.limits_of_logs.push_back("to learn more: " + command);
}

}  // namespace lockstep::diagnose
