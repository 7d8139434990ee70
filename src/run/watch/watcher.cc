#include "run/watch/watcher.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/ranks/describe.h"
#include "model/finding_code.h"
#include "model/rank.h"
#include "run/watch/live_judge.h"
#include "run/watch/thresholds.h"

namespace lockstep::watch {
namespace {

using model::Finding;

// The same fault, told again: later looks know more victims and evidence, and perhaps the reason.
bool is_same(const Finding& a, const Finding& b) {
  return a.code.family_name() == b.code.family_name() && a.root_ranks == b.root_ranks;
}

bool is_late(Kind kind) {
  return kind == Kind::kLate || kind == Kind::kElsewhere || kind == Kind::kHung;
}

// For how long the victims have waited at most, in calls that some of the roots have not come to.
std::int64_t longest_wait_ns(const LiveJob& job, const Finding& finding) {
  std::int64_t longest_ns = 0;
  for (const Standing& standing : job.standings(kQuietNs)) {
    const bool is_victim =
        std::ranges::find(finding.victim_ranks, standing.rank->rank()) != finding.victim_ranks.end();
    if (is_victim && standing.call != nullptr)
      longest_ns = std::max(longest_ns, job.now_ns() - standing.call->begin_ns);
  }
  return longest_ns;
}

// Whoever is late may still come: nothing is said but that, and how unusual it is.
std::string late_in_words(const LiveJob& job, const Finding& finding) {
  const std::int64_t waited_ns = longest_wait_ns(job, finding);
  if (finding.root_ranks.empty() || finding.victim_ranks.empty() || waited_ns < kSecondNs)
    return finding.title;
  std::string words =
      fmt::format("{} {} late: {} {} waited {} s", model::ranks_in_words(finding.root_ranks),
                  finding.root_ranks.size() == 1 ? "is" : "are", model::ranks_in_words(finding.victim_ranks),
                  finding.victim_ranks.size() == 1 ? "has" : "have", waited_ns / kSecondNs);
  const std::int64_t usual_ns = std::max(job.meetings().waits().longest_ns(), kMillisecondNs);
  constexpr std::int64_t kWorthTelling = 3;
  if (job.meetings().waits().count() >= kMeetingsToKnowAJob && waited_ns >= kWorthTelling * usual_ns)
    words += fmt::format(", {} times longer than ever before", waited_ns / usual_ns);
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words;
}

}  // namespace

std::vector<Finding> SlowRanks::confirm(std::vector<Finding> seen, bool is_crowded) {
  const int enough = is_crowded ? kTimesSlowWhenCrowded : kTimesSlow;
  std::map<std::string, int> in_a_row;
  std::vector<Finding> confirmed;
  for (Finding& finding : seen) {
    const std::string who = fmt::format("{} {}", finding.code.text(), fmt::join(finding.root_ranks, ","));
    const int times = ++(in_a_row[who] = in_a_row_[who]);
    if (times >= enough || finding.code.is(model::CodeFamily::kDivergence))
      confirmed.push_back(std::move(finding));
  }
  in_a_row_ = std::move(in_a_row);
  return confirmed;
}

std::chrono::steady_clock::time_point next_judgement(std::chrono::steady_clock::time_point began,
                                                     std::chrono::steady_clock::time_point ended) {
  return ended + kPausePerJudgement * (ended - began);
}

std::chrono::steady_clock::time_point next_slow_look(std::chrono::steady_clock::time_point began,
                                                     std::chrono::steady_clock::time_point ended) {
  return std::max(began + kSlowInterval, next_judgement(began, ended));
}

std::vector<Notice> Watcher::tick() {
  job_.poll();
  std::vector<Notice> notices;
  if (job_.has_ended()) return notices;  // its verdict is made from the records
  note_restart(notices);
  note_first_loss();
  std::ranges::move(judge(), std::back_inserter(notices));
  look_at_set_up(notices);
  resolve(notices);
  give_up_on_late(notices);
  std::ranges::move(look_for_slowness(), std::back_inserter(notices));
  return notices;
}

std::uint64_t Watcher::progress() const {
  std::uint64_t records = 0;
  for (const LiveRank* rank : job_.ranks()) {
    records += rank->records() + (rank->is_gone() ? 1 : 0) + (rank->has_ended() ? 1 : 0);
  }
  return records;
}

std::vector<Notice> Watcher::judge() {
  std::vector<Notice> notices;
  const Clock::time_point now = now_();
  if (job_.meetings().take_suspicion() && mismatch_since_ == Clock::time_point{}) mismatch_since_ = now;
  const bool has_mismatch =
      mismatch_since_ != Clock::time_point{} && now - mismatch_since_ >= kMismatchSettles;
  const Suspicion suspicion = suspicions_.look(job_);
  const bool is_late = suspicion.late_ns.has_value();
  if (!has_mismatch && !suspicion.is_decided && !is_late) return notices;

  const std::uint64_t progress = this->progress();
  const bool was_judged = progress == judged_at_progress_ && (judged_late_ || !is_late) &&
                          (judged_decided_ || !suspicion.is_decided);
  if ((was_judged && !has_mismatch) || now < next_judgement_) return notices;
  judged_at_progress_ = progress;
  judged_late_ = is_late;
  judged_decided_ = suspicion.is_decided;
  if (has_mismatch) mismatch_since_ = {};
  std::vector<Finding> decided = decided_faults(job_);
  const bool has_decided = !decided.empty();
  report(Kind::kDecided, std::move(decided), notices);
  if (is_late) late_ns_ = *suspicion.late_ns;
  if (is_late && !has_decided) report(Kind::kLate, late_ranks(job_, late_ns_), notices);
  next_judgement_ = next_judgement(now, now_());
  return notices;
}

void Watcher::look_at_set_up(std::vector<Notice>& notices) {
  SetUpFaults faults = set_up_.look(job_);
  for (std::vector<Finding>* found : {&faults.decided, &faults.late, &faults.elsewhere}) {
    for (Finding& finding : *found) {
      finding.title = ranks::as_sentences(finding.title);
      finding.explanation = ranks::as_sentences(finding.explanation);
    }
  }
  report(Kind::kDecided, std::move(faults.decided), notices);
  report(Kind::kLate, std::move(faults.late), notices);
  report(Kind::kElsewhere, std::move(faults.elsewhere), notices);
  if (!faults.is_over) return;
  std::erase_if(standing_, [&](const Statement& statement) {
    const bool is_about_it = statement.notice.finding.code == model::codes::kSetupRankNotStarted;
    if (!is_about_it || statement.notice.kind == Kind::kDecided) return false;
    notices.push_back(statement.notice);
    notices.back().kind = Kind::kResolved;
    return true;
  });
}

void Watcher::judge_again() {
  std::vector<Finding> found = decided_faults(job_);
  if (found.empty() && late_ns_ != 0) found = late_ranks(job_, late_ns_);
  for (Finding& finding : found) {
    const auto same = std::ranges::find_if(
        standing_, [&](const Statement& statement) { return is_same(statement.notice.finding, finding); });
    if (same != standing_.end()) same->notice.finding = std::move(finding);
  }
}

// What was said of the ranks is about a life that is over; their numbers may belong to others now.
void Watcher::note_restart(std::vector<Notice>& notices) {
  if (job_.restart() == std::exchange(restart_, job_.restart())) return;
  for (Statement& statement : std::exchange(standing_, {})) {
    statement.notice.kind = Kind::kRestarted;
    notices.push_back(std::move(statement.notice));
  }
  suspicions_ = {};
  set_up_ = {};
  slow_ranks_.forget();
  first_loss_.clear();
  has_looked_at_loss_ = false;
  mismatch_since_ = {};
  late_ns_ = 0;
}

void Watcher::note_first_loss() {
  const std::vector<const LiveRank*> ranks = job_.ranks();
  const auto gone = std::ranges::count_if(ranks, [](const LiveRank* rank) { return rank->is_gone(); });
  if (gone == 0 || std::exchange(has_looked_at_loss_, true)) return;
  const bool others_go_on =
      std::ranges::any_of(ranks, [](const LiveRank* rank) { return !rank->is_gone() && !rank->has_ended(); });
  if (gone == 1 && others_go_on) first_loss_ = lost_ranks(job_);
}

void Watcher::review_first_loss() {
  if (first_loss_.empty()) return;
  if (std::vector<Finding> mismatches = calls_that_differ(job_); !mismatches.empty())
    first_loss_ = std::move(mismatches);
}

std::vector<int> Watcher::process_fds() const {
  std::vector<int> fds;
  for (const LiveRank* rank : job_.ranks()) {
    if (rank->process().is_here() && !rank->is_gone() && !rank->has_ended())
      fds.push_back(rank->process().fd());
  }
  return fds;
}

void Watcher::report(Kind kind, std::vector<Finding> found, std::vector<Notice>& notices) {
  for (Finding& finding : found) {
    const auto same = std::ranges::find_if(
        standing_, [&](const Statement& statement) { return is_same(statement.notice.finding, finding); });
    if (same != standing_.end()) {
      same->notice.finding = std::move(finding);
      const bool was_late = is_late(same->notice.kind);
      if (kind != Kind::kDecided || !was_late) continue;
      same->notice.kind = kind;
      notices.push_back(same->notice);
      continue;
    }
    notices.push_back({.kind = kind, .finding = std::move(finding), .since = now_()});
    Statement& statement = standing_.emplace_back(Statement{.notice = notices.back(), .calls_then = {}});
    for (const int rank : statement.notice.finding.root_ranks) {
      const LiveRank* live = job_.rank(rank);
      statement.calls_then[rank] = live == nullptr ? std::nullopt : std::optional(live->calls());
    }
    const bool may_still_come = kind == Kind::kLate && notices.back().finding.code.is_wait();
    if (may_still_come) notices.back().finding.title = late_in_words(job_, notices.back().finding);
  }
}

void Watcher::give_up_on_late(std::vector<Notice>& notices) {
  for (auto& [notice, calls] : standing_) {
    const bool may_come = notice.kind == Kind::kLate || notice.kind == Kind::kElsewhere;
    const std::chrono::seconds patience =
        notice.kind == Kind::kElsewhere ? kGivesUpOnOtherHostsAfter : kGivesUpAfter;
    if (!may_come || now_() - notice.since < patience) continue;
    notice.kind = Kind::kHung;
    notices.push_back(notice);
  }
}

bool Watcher::has_moved(const Statement& statement) const {
  return std::ranges::any_of(statement.calls_then, [&](const auto& then) {
    const LiveRank* live = job_.rank(then.first);
    if (!then.second) return live != nullptr;
    return live == nullptr || live->calls() > *then.second;
  });
}

void Watcher::resolve(std::vector<Notice>& notices) {
  std::erase_if(standing_, [&](const Statement& statement) {
    if (!is_late(statement.notice.kind) || !has_moved(statement)) return false;
    notices.push_back(statement.notice);
    notices.back().kind = Kind::kResolved;
    return true;
  });
}

std::vector<Notice> Watcher::look_for_slowness() {
  std::vector<Notice> notices;
  const Clock::time_point now = now_();
  if (next_slow_look_ == Clock::time_point{}) next_slow_look_ = next_slow_look(now, now);
  if (now < next_slow_look_) return notices;
  slow_causes_.look(job_);
  const bool is_crowded = evidence::processor_pressure({}).value_or(0) >= kCrowdedPressure;
  std::vector<Finding> slow = slow_ranks_.confirm(slow_or_diverged(job_), is_crowded);
  for (Finding& finding : slow) slow_causes_.explain(finding);
  report(Kind::kSlow, std::move(slow), notices);
  next_slow_look_ = next_slow_look(now, now_());
  return notices;
}

std::vector<Finding> Watcher::findings() const {
  std::vector<Finding> findings;
  for (const Kind kind : {Kind::kDecided, Kind::kHung, Kind::kLate, Kind::kElsewhere, Kind::kSlow}) {
    for (const Statement& statement : standing_) {
      if (statement.notice.kind == kind) findings.push_back(statement.notice.finding);
    }
  }
  return findings;
}

}  // namespace lockstep::watch
