#include "service/job_service.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/phrases.h"
#include "service/attempt_end.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/plan.h"
#include "service/growth.h"
#include "service/job/job_id.h"
#include "service/store/seal.h"

namespace lockstep::service {
namespace {

// A supervisor that is lost again and again is lost for a reason. Held by
// JobServiceTest.AdoptsWhatRunsOnElsewhereAndGivesUpInTheEnd.
constexpr int kMaxAdoptions = 5;
// Looks at every running attempt: files are read, and nothing there is shorter than a second.
constexpr std::chrono::seconds kBetweenPasses{1};
// After a pass the scheduler rests so many times as long as it took: it has at most a ninth of the thread.
constexpr int kRestOfPasses = 8;

std::string in_ranks(std::int64_t count) {
  return fmt::format("{} rank{}", count, count == 1 ? "" : "s");
}

}  // namespace

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
    if (job.cancel_asked) engine_->ask_to_end(job.id, active.attempt.number);
    active.is_launched = engine_->standing(job.id, active.attempt.number) != Standing::kNotBegun;
    if (!active.is_launched) TRY(launch(active));
  }
  return {};
}

Result<std::vector<Submitted>> JobService::submit(std::span<const Submission> submissions) {
  std::vector<Submitted> all;
  std::vector<std::size_t> places;
  std::vector<NewJob> wanted;
  for (const Submission& submission : submissions) {
    const Job& job = all.emplace_back(admissible(submission, clusters_)).job;
    if (all.back().refusal != Refusal::kNone) continue;
    places.push_back(all.size() - 1);
    const Event queued{0, job.id, job.created_ms, "queued", in_ranks(job.spec.workers_max)};
    NewJob& added = wanted.emplace_back(NewJob{job, queued, {}});
    if (submission.idempotency_key) added.key = {*submission.idempotency_key, sha256(submission.body)};
  }
  if (wanted.empty()) return all;
  const auto added = store_->add(wanted);
  is_in_doubt_ = is_in_doubt_ || !store_->is_reachable();
  const std::vector<Admitted> admitted = TRY(added);
  for (std::size_t i = 0; i < admitted.size(); ++i) TRY(take_admission(admitted[i], all[places[i]]));
  return all;
}

Result<void> JobService::take_admission(const Admitted& admitted, Submitted& submitted) {
  switch (admitted.admission) {
    case Admission::kAdded:
      wait_for_its_turn(submitted.job);
      return {};
    case Admission::kOtherBody:
      submitted.refusal = Refusal::kOtherBody;
      return {};
    case Admission::kKnown: {
      auto known = TRY(store_->job(admitted.job_id));
      submitted.is_new = false;
      submitted.refusal = known ? Refusal::kNone : Refusal::kDeleted;
      if (known) submitted.job = std::move(*known);
      return {};
    }
  }
  return {};
}

void JobService::wait_for_its_turn(const Job& job) {
  const auto cluster = clusters_.by_engine.find(job.engine);
  waiting_.add(job, cluster != clusters_.by_engine.end() && cluster->second->has_own_queue());
}

bool JobService::is_unfinished(const std::string& job_id) const {
  return running_.contains(job_id) || waiting_.contains(job_id);
}

std::int64_t JobService::ended_count(JobState state) const {
  const auto found = ended_.find(state);
  return found == ended_.end() ? 0 : found->second;
}

Result<void> JobService::save(RunningAttempt& active, std::string kind, std::string detail) {
  ++active.job.version;
  return outbox_.write(*store_,
                       {active.job, active.attempt,
                        Event{0, active.job.id, clock_->wall_ms(), std::move(kind), std::move(detail)}});
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
    engine_->ask_to_end(job.id, found.attempt.number);
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

Result<void> JobService::remove(const std::string& job_id) {
  TRY(store_->remove(job_id));
  engine_->remove(job_id);
  return {};
}

Result<Submitted> JobService::retry(const Job& job, const std::string& owner,
                                    const std::map<std::string, std::string>& environment) {
  base::Json request = encode_spec(job.spec);
  if (!environment.empty()) request["environment"] = environment;
  request["labels"]["retry_of"] = job.id;
  const Submission again{owner, request, "", std::nullopt};
  return std::move(TRY(submit({&again, 1})).front());
}

Result<void> JobService::tick() {
  reports_.reap();
  TRY(catch_up());
  for (auto active = running_.begin(); active != running_.end();) {
    TRY(tell_news(active->second));
    if (is_at_work(active->second)) {
      ++active;
      continue;
    }
    const Standing standing = engine_->standing(active->first, active->second.attempt.number);
    const bool runs_on = standing == Standing::kLost && active->second.job.engine != EngineKind::kLocal;
    if (runs_on && active->second.adoptions < kMaxAdoptions) {
      TRY(adopt(active->second));
      ++active;
      continue;
    }
    RunningAttempt ended = std::move(active->second);
    active = running_.erase(active);
    TRY(finish(ended));
  }
  TRY(look_for_silence());
  TRY(look_for_room());
  TRY(heed_others());
  TRY(forget_old());
  TRY(hand_over());
  return schedule();
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

// Another service that has the store too may have been asked to end one of our jobs.
Result<void> JobService::heed_others() {
  const auto now = clock_->now();
  if (store_->service().empty() || now < next_heeding_ || !has_unfinished_jobs()) return {};
  next_heeding_ = now + kBetweenPasses;
  for (const std::string& id : TRY(store_->cancels_asked())) {
    const auto job = TRY(store_->job(id));
    if (job && !job->cancel_asked) TRY(cancel(*job));
  }
  return {};
}

Result<void> JobService::look_for_silence() {
  const auto now = clock_->now();
  if (now < next_look_for_silence_) return {};
  next_look_for_silence_ = now + kBetweenPasses;
  for (auto& [id, active] : running_) {
    const AttemptFolder folder = engine_->folder_of(id, active.attempt.number);
    const auto news = active.silence.look(folder, active.attempt.workers, silence_patience_, now);
    const auto seconds = silence_patience_.count();
    if (!news.silent.empty()) TRY(save(active, "silent", reason_of(Silence{news.silent, seconds}).text));
    if (!news.heard_again.empty()) TRY(save(active, "heard again", report::describe_ranks(news.heard_again)));
    if (news.lost.empty() || read_silence(folder)) continue;
    const Silence silence{news.lost, kSilenceThatEnds * seconds};
    TRY(write_silence(folder, silence));
    engine_->ask_to_end(id, active.attempt.number);
    TRY(save(active, "end asked", reason_of(silence).text));
  }
  return {};
}

// None: it has no room for more, or would lose work.
std::optional<Growth> JobService::growth_of(const RunningAttempt& active) {
  const Job& job = active.job;
  Growth growth;
  if (job.engine == EngineKind::kLocal) {
    if (!waiting_.for_room().empty()) return std::nullopt;  // who waits comes first
    growth.workers = active.attempt.workers + room_in(machine_.total - running_.held(), job.per_worker);
  } else {
    std::vector<std::string> own;
    for (const NodePlace& place :
         places_told(engine_->folder_of(job.id, active.attempt.number), active.attempt.nodes))
      own.push_back(place.name);
    Cluster::Room room = clusters_.of(job).room_for(job, active.attempt, own);
    growth = {room.workers, std::move(room.returned)};
  }
  growth.workers = std::min(growth.workers, job.spec.workers_max);
  if (growth.workers <= active.attempt.workers) return std::nullopt;
  return has_saved(active.attempt, newest_in(job.spec.checkpoint_directory)) ? std::optional(growth)
                                                                             : std::nullopt;
}

Result<void> JobService::look_for_room() {
  const auto now = clock_->now();
  if (now < next_look_for_room_) return {};
  next_look_for_room_ = now + kBetweenPasses;
  for (auto& [id, active] : running_) {
    if (active.is_told_to_grow || !may_grow(active.job, active.attempt, grow_after_, clock_->wall_ms()))
      continue;
    const AttemptFolder folder = engine_->folder_of(id, active.attempt.number);
    auto growth = read_growth(folder);  // another service may have begun it
    if (!growth) growth = growth_of(active);
    if (!growth) continue;
    TRY(write_growth(folder, *growth));
    active.is_told_to_grow = true;
    engine_->ask_to_end(id, active.attempt.number);
    TRY(save(active, "end asked", in_words(*growth)));
  }
  return {};
}

// Events of the job come from whoever keeps its attempt.
Result<void> JobService::tell_news(RunningAttempt& active) {
  const AttemptFolder folder = engine_->folder_of(active.job.id, active.attempt.number);
  for (News& news : news_after(folder, static_cast<std::size_t>(active.attempt.news_read))) {
    ++active.attempt.news_read;
    TRY(save(active, std::move(news.kind), std::move(news.detail)));
  }
  return {};
}

Result<void> JobService::adopt(RunningAttempt& active) {
  ++active.adoptions;
  active.child = TRY(engine_->adopt(active.job, active.attempt));
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

Result<void> JobService::forget_old() {
  for (const std::string& name : TRY(retention_.due(*store_, *clock_))) TRY(remove(name));
  return {};
}

// A child is asked the cheap way while it lives; what is left of a lost supervisor's job holds its lock on.
bool JobService::is_at_work(RunningAttempt& active) const {
  if (active.child) {
    if (engine_->is_running(*active.child)) return true;
    active.child.reset();
  }
  return engine_->standing(active.job.id, active.attempt.number) == Standing::kAtWork;
}

Result<void> JobService::finish(RunningAttempt& active) {
  Job& job = active.job;
  Attempt& attempt = active.attempt;
  const AttemptFolder folder = engine_->folder_of(job.id, attempt.number);
  read_end(folder, job, attempt);
  const auto growth = read_growth(folder);
  if (growth && attempt.state != JobState::kCancelled && was_told_to_end(attempt))
    return go_on_grown(active, *growth);
  job.reason = attempt.reason.text;
  std::string detail = attempt.reason.text;
  if (attempt.state == JobState::kFailed) {
    const Decision decision = decide(folder, job, attempt);
    job.repairs = decision.repairs;
    if (decision.is_retried) return start_again(active, decision);
    detail += "; not retried: " + decision.why;
  }
  job.state = attempt.state;
  job.ended_ms = attempt.ended_ms;
  ++ended_[job.state];
  return save(active,
              job.state == JobState::kSucceeded   ? "succeeded"
              : job.state == JobState::kCancelled ? "cancelled"
                                                  : "failed",
              detail);
}

Result<void> JobService::start_again(RunningAttempt& active, const Decision& decision) {
  active.job.state = JobState::kQueued;
  active.job.per_worker.memory_bytes = decision.memory_bytes;
  wait_for_its_turn(active.job);
  return save(active, "failed, to be retried",
              fmt::format("{}; {}", active.attempt.reason.text, decision.why));
}

// Nothing failed, so nothing counts against the job.
Result<void> JobService::go_on_grown(RunningAttempt& active, const Growth& growth) {
  active.attempt.state = JobState::kCancelled;
  active.attempt.reason = EndReason::to_grow(in_words(growth));
  active.job.state = JobState::kQueued;
  std::vector<std::string>& left_out = active.job.repairs.excluded_nodes;
  std::erase_if(left_out, [&](const std::string& node) {
    return std::ranges::find(growth.returned, node) != growth.returned.end();
  });
  wait_for_its_turn(active.job);
  return save(active, "ended, to grow", active.attempt.reason.text);
}

// A pass over thousands of jobs takes milliseconds: it never takes more than a part of the time.
Result<void> JobService::schedule() {
  const ServiceClock::Point begin_of_pass = clock_->now();
  if (waiting_.for_room().empty() || begin_of_pass < next_pass_ || running_.fills(machine_)) return {};
  const std::vector<Start> starts =
      choose_starts(machine_.total, running_.for_scheduler(), waiting_.for_room(), clock_->wall_ms());
  next_pass_ = clock_->now() + kRestOfPasses * (clock_->now() - begin_of_pass);
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
  RunningAttempt active;
  active.job = std::move(*job);
  Attempt& attempt = active.attempt;
  attempt.job_id = start.id;
  attempt.number = ++active.job.attempts;
  attempt.workers = start.workers;
  attempt.started_ms = clock_->wall_ms();
  attempt.nodes = start.nodes;
  if (active.job.engine == EngineKind::kLocal) {
    attempt.ports = TRY(free_ports(ports_needed(active.job.framework, start.workers), running_.ports()));
    attempt.gpus = running_.free_gpus(machine_, active.job.per_worker.gpus * start.workers);
  }
  active.job.state = attempt.state = JobState::kRunning;
  active.job.reason.clear();
  if (active.job.started_ms == 0) active.job.started_ms = attempt.started_ms;
  waiting_.remove(start.id);
  RunningAttempt& placed = running_[start.id] = std::move(active);
  TRY(save(placed, "started",
           fmt::format("attempt {} with {}", placed.attempt.number, in_ranks(placed.attempt.workers))));
  return launch(placed);
}

Result<void> JobService::launch(RunningAttempt& active) {
  active.is_launched = true;
  const auto supervisor = engine_->start(active.job, active.attempt);
  if (supervisor.ok()) {
    active.child = supervisor.value();
    return {};
  }
  const Error& error = supervisor.error();
  RunningAttempt failed = std::move(active);
  running_.erase(failed.job.id);
  failed.job.state = failed.attempt.state = JobState::kFailed;
  failed.attempt.reason = EndReason::not_started(error);
  failed.job.reason = failed.attempt.reason.text;
  failed.job.ended_ms = failed.attempt.ended_ms = clock_->wall_ms();
  ++ended_[JobState::kFailed];
  return save(failed, "failed", failed.job.reason);
}

}  // namespace lockstep::service
