#include "service/job_service.h"

#include <utility>

#include <fmt/format.h>

#include "report/phrases.h"
#include "service/engine/attempt_folder.h"

namespace lockstep::service {
namespace {

// Between looks for what other services on the same store ask of this one: each reads the store. Held by
// JobServiceTest.WhatAnotherServiceAskedToCancelIsNotStarted.
constexpr std::chrono::seconds kBetweenWishes{1};
// After a pass the scheduler rests so many times as long as it took: it has at most a ninth of the thread,
// however many jobs wait. Held by
// JobServiceTest.TheSchedulerRestsEightTimesAsLongAsItWorked.
constexpr int kRestOfPasses = 8;
// Between tries to start an attempt that could not be, and how long they go on: a disk that is full is
// cleared by somebody's hand. Held by JobServiceTest.AnAttemptThatCannotBeStartedIsTriedForTenMinutes.
constexpr std::chrono::seconds kBetweenStarts{1};
constexpr std::chrono::minutes kPatienceWithStarts{10};
// Between events of one job that tell why it waits: two reasons in turn, or one that comes and goes, would
// fill its events. Held by JobServiceTest.ADoubtThatComesBackIsToldAgainAtMostOnceAMinute.
constexpr std::chrono::minutes kBetweenDoubts{1};

Error never_began(const RunningAttempt& active) {
  return {"cannot start the attempt's supervisor",
          fmt::format("{}, attempt {}", active.job.id, active.attempt.number),
          "it exited before it started the job; see supervisor.log in the attempt's folder", ""};
}

}  // namespace

JobService::JobService(std::unique_ptr<Store> store, std::unique_ptr<Engine> engine, Clusters clusters,
                       Machine machine, ReportMaker reports, std::chrono::milliseconds kept_for,
                       std::unique_ptr<ServiceClock> clock)
    : store_(std::move(store)),
      engine_(std::move(engine)),
      clusters_(std::move(clusters)),
      machine_(std::move(machine)),
      clock_(std::move(clock)),
      reports_(std::move(reports)),
      retention_(kept_for),
      wishes_(kBetweenWishes),
      passes_(std::chrono::milliseconds(0)) {}

Result<void> JobService::tick() {
  reports_.reap();
  doubt_.reset();
  TRY(catch_up());
  TRY(follow_attempts());
  TRY(look_for_silence());
  TRY(look_for_room());
  TRY(heed_others());
  TRY(forget_old());
  TRY(hand_over());
  TRY(schedule());
  return doubt_ ? Result<void>(*doubt_) : Result<void>();
}

Result<void> JobService::recover() {
  for (const Job& job : TRY(store_->unfinished())) {
    if (is_unfinished(job.id)) continue;
    if (job.state == JobState::kQueued) {
      wait_for_its_turn(job);
      continue;
    }
    std::vector<Attempt> attempts = TRY(store_->attempts(job.id));
    if (attempts.empty())
      return Error{"the job store is damaged", job.id, "it started without an attempt", ""};
    RunningAttempt& active = running_[job.id];
    active = {job, std::move(attempts.back())};
    if (job.cancel_asked) tell_to_end(active);
    const auto standing = engine_->standing(job.id, active.attempt.number);
    active.is_launched = !standing.ok() || standing.value() != Standing::kNotBegun;
    if (!active.is_launched) TRY(launch(active));
  }
  return {};
}

Result<std::vector<Submitted>> JobService::submit(std::span<const Submission> submissions) {
  auto admitted = admit(submissions, clusters_, *store_, clock_->wall_ms());
  if (!admitted.ok()) {
    is_in_doubt_ = true;
    return admitted;
  }
  for (const Submitted& submitted : admitted.value()) {
    if (submitted.waits_for_its_turn()) wait_for_its_turn(submitted.job);
  }
  return admitted;
}

void JobService::wait_for_its_turn(const Job& job) {
  const auto cluster = clusters_.by_engine.find(job.engine);
  waiting_.add(job, cluster != clusters_.by_engine.end() && cluster->second->has_own_queue());
}

Result<Job> JobService::cancel(Job job) {
  if (is_over(job.state)) return job;
  if (job.service != store_->service()) {
    TRY(store_->ask_to_cancel(job.id));
    return job;
  }
  if (const auto active = running_.find(job.id); active != running_.end()) {
    RunningAttempt& found = active->second;
    if (!found.job.cancel_asked) {
      found.job.cancel_asked = true;
      TRY(save(found, "cancel asked", ""));
    }
    tell_to_end(found);
    return found.job;
  }
  job.state = JobState::kCancelled;
  job.cancel_asked = true;
  job.reason = "cancelled before it started";
  job.ended_ms = clock_->wall_ms();
  ++job.version;
  TRY(store_->apply({job, {}, Event{0, job.id, job.ended_ms, "cancelled", job.reason}}));
  waiting_.remove(job.id);
  ++ended_[job.state];
  return job;
}

Result<Submitted> JobService::retry(const Job& job, const std::string& owner,
                                    const std::map<std::string, std::string>& environment) {
  base::Json request = encode_spec(job.spec);
  if (!environment.empty()) request["environment"] = environment;
  request["labels"]["retry_of"] = job.id;
  const Submission again{owner, request, "", std::nullopt};
  return std::move(TRY(submit({&again, 1})).front());
}

Result<void> JobService::remove(const std::string& job_id) {
  TRY(store_->remove(job_id));
  engine_->remove(job_id);
  return {};
}

bool JobService::is_unfinished(const std::string& job_id) const {
  return running_.contains(job_id) || waiting_.contains(job_id);
}

std::int64_t JobService::ended_count(JobState state) const {
  const auto found = ended_.find(state);
  return found == ended_.end() ? 0 : found->second;
}

// After the store was away: what happened meanwhile is written, then what could not be begun is.
Result<void> JobService::catch_up() {
  TRY(outbox_.write_all(*store_));
  if (is_in_doubt_) TRY(recover());
  is_in_doubt_ = false;
  std::vector<std::string> names;
  for (const auto& [id, active] : running_) {
    if (!active.is_launched) names.push_back(id);
  }
  for (const std::string& name : names) TRY(launch(running_.at(name)));
  return {};
}

Result<void> JobService::follow_attempts() {
  for (auto active = running_.begin(); active != running_.end();) {
    RunningAttempt& next = (active++)->second;  // which may leave the set
    TRY(pass_on_news(next));
    if (!next.is_told_to_end) tell_to_end(next);
    if (!next.is_launched) continue;  // not yet, or it could not be
    const auto need = need_of(next, *engine_);
    if (!need.ok()) {
      TRY(wait_to_know(next, need.error()));
      continue;
    }
    if (need.value() == Need::kNothing) {
      next.doubt.clear();
    } else if (need.value() == Need::kSupervisor) {
      TRY(adopt(next));
    } else if (need.value() == Need::kStart) {
      TRY(put_off(next, never_began(next)));
    } else if (need.value() == Need::kEnd) {
      TRY(bring_to_its_end(next));
    }
  }
  return {};
}

// What cannot be read now is read later: the attempt stays as it is until it can be told how it ended.
Result<void> JobService::bring_to_its_end(RunningAttempt& active) {
  RunningAttempt ended = active;
  const auto read = read_end(folder_of(ended), ended.job, ended.attempt, clock_->wall_ms());
  if (!read.ok()) return wait_to_know(active, read.error());
  auto sequel = conclude(folder_of(ended), ended.job, ended.attempt);
  if (!sequel.ok()) return wait_to_know(active, sequel.error());
  running_.erase(ended.job.id);
  return settle(ended, std::move(sequel).value());
}

// Told once in the job's events, and again where it changed or came back, and for as long as it lasts by
// tick().
Result<void> JobService::wait_to_know(RunningAttempt& active, const Error& error) {
  doubt_ = error;
  std::string why = fmt::format("{}: {}: {}", error.what, error.where, error.why);
  const ServiceClock::Point now = clock_->now();
  const bool was_told = active.doubt_told && now - *active.doubt_told < kBetweenDoubts;
  if (why == active.doubt || was_told) return {};
  active.doubt = why;
  active.doubt_told = now;
  return save(active, "waiting", std::move(why));
}

void JobService::tell_to_end(RunningAttempt& active) {
  const auto told = engine_->ask_to_end(active.job.id, active.attempt.number);
  active.is_told_to_end = told.ok();
  if (!told.ok()) doubt_ = told.error();
}

Result<void> JobService::look_for_silence() {
  if (!silence_.is_due(clock_->now())) return {};
  for (auto& [id, active] : running_) {
    const AttemptFolder folder = folder_of(active);
    const auto judged = silence_.judge(active.silence, folder, active.attempt.workers, clock_->now());
    if (!judged.ok()) {
      doubt_ = judged.error();
      continue;
    }
    const auto& [told, heard_again, ends] = judged.value();
    if (told) TRY(save(active, "silent", reason_of(*told).text));
    if (!heard_again.empty()) TRY(save(active, "heard again", report::describe_ranks(heard_again)));
    if (!ends) continue;
    TRY(write_silence(folder, *ends));
    TRY(ask_to_end(active, reason_of(*ends).text));
  }
  return {};
}

Result<void> JobService::look_for_room() {
  if (!growth_.is_due(clock_->now())) return {};
  const RoomToGrow room{machine_.total - running_.held(), !waiting_.for_room().empty(), clusters_};
  for (auto& [id, active] : running_) {
    const AttemptFolder folder = folder_of(active);
    const auto judged = growth_.judge(active, folder, room, clock_->wall_ms());
    if (!judged.ok()) doubt_ = judged.error();
    if (!judged.ok() || !judged.value()) continue;
    TRY(write_growth(folder, *judged.value()));
    active.is_told_to_grow = true;
    TRY(ask_to_end(active, in_words(*judged.value())));
  }
  return {};
}

// Another service that has the store too may have been asked to end one of our jobs.
Result<void> JobService::heed_others() {
  if (store_->service().empty() || !has_unfinished_jobs() || !wishes_.is_due(clock_->now())) return {};
  for (const std::string& id : TRY(store_->cancels_asked())) {
    const auto job = TRY(store_->job(id));
    if (job && !job->cancel_asked) TRY(cancel(*job));
  }
  return {};
}

Result<void> JobService::forget_old() {
  for (const std::string& name : TRY(retention_.due(*store_, *clock_))) TRY(remove(name));
  return {};
}

Result<void> JobService::hand_over() {
  const std::vector<std::string> all = waiting_.to_hand_over();
  for (const std::string& id : all) {
    const auto job = TRY(store_->job(id));
    const Cluster::Share share = job ? clusters_.of(*job).share_for(*job) : Cluster::Share{};
    TRY(begin({.id = id, .workers = share.workers, .nodes = share.nodes}));
  }
  return {};
}

// A pass over thousands of jobs takes milliseconds: it never takes more than a part of the time.
Result<void> JobService::schedule() {
  const ServiceClock::Point begin_of_pass = clock_->now();
  if (waiting_.for_room().empty() || !passes_.is_over(begin_of_pass) || running_.fills(machine_)) return {};
  const std::vector<Start> starts =
      choose_starts(machine_.total, running_.for_scheduler(), waiting_.for_room(), clock_->wall_ms());
  const ServiceClock::Point end_of_pass = clock_->now();
  passes_.begin(end_of_pass, kRestOfPasses * (end_of_pass - begin_of_pass));
  for (const Start& start : starts) TRY(begin(start));
  return {};
}

// The intention is on the disk before the process is: whoever comes after us knows what may run.
Result<void> JobService::begin(const Start& start) {
  auto job = TRY(store_->job(start.id));
  if (!job ||
      job->state != JobState::kQueued) {  // deleted, or cancelled though nobody heard that it was done
    waiting_.remove(start.id);
    return {};
  }
  RunningAttempt next = TRY(running_.next_attempt(std::move(*job), start, machine_, clock_->wall_ms()));
  waiting_.remove(start.id);
  RunningAttempt& active = running_[start.id] = std::move(next);
  TRY(save(active, "started",
           fmt::format("attempt {} with {}", active.attempt.number, in_ranks(active.attempt.workers))));
  return launch(active);
}

// May be called again for an attempt of which nobody knows whether it began: it begins once.
Result<void> JobService::launch(RunningAttempt& active) {
  if (active.next_try && clock_->now() < *active.next_try) return {};
  const auto supervisor = engine_->start(active.job, active.attempt);
  if (!supervisor.ok()) return put_off(active, supervisor.error());
  active.is_launched = true;
  active.child = supervisor.value();
  return {};
}

// What stands in the way of a start is the machine's (a full disk, no descriptor or process left) and passes,
// or does not and is told.
Result<void> JobService::put_off(RunningAttempt& active, const Error& error) {
  const ServiceClock::Point now = clock_->now();
  if (!active.first_try) active.first_try = now;
  active.next_try = now + kBetweenStarts;
  active.is_launched = false;
  if (now - *active.first_try < kPatienceWithStarts && !active.job.cancel_asked)
    return wait_to_know(active, error);
  RunningAttempt failed = std::move(active);
  running_.erase(failed.job.id);
  return settle(failed, conclude_not_started(error, failed.job, failed.attempt, clock_->wall_ms()));
}

// Events of the job come from whoever supervises its attempt.
Result<void> JobService::pass_on_news(RunningAttempt& active) {
  for (News& news : news_after(folder_of(active), static_cast<std::size_t>(active.attempt.news_read))) {
    ++active.attempt.news_read;
    TRY(save(active, std::move(news.kind), std::move(news.detail)));
  }
  return {};
}

Result<void> JobService::adopt(RunningAttempt& active) {
  auto child = engine_->adopt(active.job, active.attempt);
  if (!child.ok()) return wait_to_know(active, child.error());
  active.child = std::move(child).value();
  ++active.adoptions;
  return {};
}

// The reason lies in the attempt's folder already.
Result<void> JobService::ask_to_end(RunningAttempt& active, std::string why) {
  tell_to_end(active);
  return save(active, "end asked", std::move(why));
}

// The attempt has left the running set.
Result<void> JobService::settle(RunningAttempt& active, Sequel sequel) {
  if (sequel.goes_on) {
    wait_for_its_turn(active.job);
  } else {
    ++ended_[active.job.state];
  }
  return save(active, std::move(sequel.event), std::move(sequel.detail));
}

Result<void> JobService::save(RunningAttempt& active, std::string kind, std::string detail) {
  ++active.job.version;
  return outbox_.write(*store_,
                       {active.job, active.attempt,
                        Event{0, active.job.id, clock_->wall_ms(), std::move(kind), std::move(detail)}});
}

AttemptFolder JobService::folder_of(const RunningAttempt& active) const {
  return engine_->folder_of(active.job.id, active.attempt.number);
}

}  // namespace lockstep::service
