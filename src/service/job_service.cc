#include "service/job_service.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <sys/wait.h>

#include <fmt/format.h>

#include "report/phrases.h"
#include "service/attempt_end.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/nodes/node_place.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/plan.h"
#include "service/job/job_id.h"
#include "service/retry/growth.h"
#include "service/store/seal.h"

namespace lockstep::service {
namespace {

constexpr int kForgottenAtOnce = 20;
constexpr int kMostAdoptions = 5;
constexpr std::chrono::seconds kBetweenPasses{1};
constexpr std::chrono::seconds kBetweenForgetting{60};

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
    Active& active = running_[job.id];
    active = {job, std::move(attempts.back())};
    if (job.cancel_asked) engine_.ask_to_end(job.id, active.attempt.number);
    active.is_launched = engine_.standing(job.id, active.attempt.number) != Standing::kNotBegun;
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

Result<void> JobService::save(Active& active, std::string kind, std::string detail) {
  ++active.job.version;
  return outbox_.write(*store_, {active.job, active.attempt,
                                 Event{0, active.job.id, now_in_ms(), std::move(kind), std::move(detail)}});
}

Result<Job> JobService::cancel(Job job) {
  if (is_over(job.state)) return job;
  if (job.service != store_->service()) {
    TRY(store_->ask_to_cancel(job.id));
    return job;
  }
  if (const auto active = running_.find(job.id); active != running_.end()) {
    Active& found = active->second;
    if (!found.job.cancel_asked) {
      found.job.cancel_asked = true;
      TRY(save(found, "cancel asked", ""));
    }
    engine_.ask_to_end(job.id, found.attempt.number);
    return found.job;
  }
  job.state = JobState::kCancelled;
  job.cancel_asked = true;
  job.reason = "cancelled before it started";
  job.ended_ms = now_in_ms();
  ++job.version;
  TRY(store_->apply({job, {}, Event{0, job.id, job.ended_ms, "cancelled", job.reason}}));
  waiting_.remove(job.id);
  ++ended_[job.state];
  return job;
}

Result<void> JobService::remove(const std::string& job_id) {
  TRY(store_->remove(job_id));
  engine_.remove(job_id);
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
    const Standing standing = engine_.standing(active->first, active->second.attempt.number);
    const bool runs_on = standing == Standing::kLost && active->second.job.engine != EngineKind::kLocal;
    if (runs_on && active->second.adoptions < kMostAdoptions) {
      TRY(adopt(active->second));
      ++active;
      continue;
    }
    Active ended = std::move(active->second);
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
  const auto now = std::chrono::steady_clock::now();
  if (store_->service().empty() || now < next_heeding_ || !has_unfinished_jobs()) return {};
  next_heeding_ = now + kBetweenPasses;
  for (const std::string& id : TRY(store_->cancels_asked())) {
    const auto job = TRY(store_->job(id));
    if (job && !job->cancel_asked) TRY(cancel(*job));
  }
  return {};
}

Result<void> JobService::look_for_silence() {
  const auto now = SilenceWatch::Clock::now();
  if (now < next_look_for_silence_) return {};
  next_look_for_silence_ = now + kBetweenPasses;
  for (auto& [id, active] : running_) {
    const AttemptFolder folder = engine_.folder_of(id, active.attempt.number);
    const auto news = active.silence.look(folder, active.attempt.workers, silence_patience_, now);
    const auto seconds = silence_patience_.count();
    if (!news.silent.empty()) TRY(save(active, "silent", reason_of(Silence{news.silent, seconds}).text));
    if (!news.heard_again.empty()) TRY(save(active, "heard again", report::describe_ranks(news.heard_again)));
    if (news.lost.empty() || read_silence(folder)) continue;
    const Silence silence{news.lost, kSilenceThatEnds * seconds};
    TRY(write_silence(folder, silence));
    engine_.ask_to_end(id, active.attempt.number);
    TRY(save(active, "end asked", reason_of(silence).text));
  }
  return {};
}

Resources JobService::held_here() const {
  Resources held;
  for (const auto& [id, active] : running_) {
    if (active.job.engine == EngineKind::kLocal) held = held + active.job.per_worker * active.attempt.workers;
  }
  return held;
}

// None: it has no room for more, or would lose work.
std::optional<Growth> JobService::growth_of(const Active& active) {
  const Job& job = active.job;
  Growth growth;
  if (job.engine == EngineKind::kLocal) {
    if (!waiting_.for_room().empty()) return std::nullopt;  // who waits comes first
    growth.workers = active.attempt.workers + room_in(machine_.total - held_here(), job.per_worker);
  } else {
    std::vector<std::string> own;
    for (const NodePlace& place :
         places_told(engine_.folder_of(job.id, active.attempt.number), active.attempt.nodes))
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
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_for_room_) return {};
  next_look_for_room_ = now + kBetweenPasses;
  for (auto& [id, active] : running_) {
    if (active.is_told_to_grow || !may_grow(active.job, active.attempt, grow_after_, now_in_ms())) continue;
    const AttemptFolder folder = engine_.folder_of(id, active.attempt.number);
    auto growth = read_growth(folder);  // another service may have begun it
    if (!growth) growth = growth_of(active);
    if (!growth) continue;
    TRY(write_growth(folder, *growth));
    active.is_told_to_grow = true;
    engine_.ask_to_end(id, active.attempt.number);
    TRY(save(active, "end asked", in_words(*growth)));
  }
  return {};
}

// Events of the job come from whoever keeps its attempt.
Result<void> JobService::tell_news(Active& active) {
  const AttemptFolder folder = engine_.folder_of(active.job.id, active.attempt.number);
  for (News& news : news_after(folder, static_cast<std::size_t>(active.attempt.news_read))) {
    ++active.attempt.news_read;
    TRY(save(active, std::move(news.kind), std::move(news.detail)));
  }
  return {};
}

Result<void> JobService::adopt(Active& active) {
  ++active.adoptions;
  active.child = TRY(engine_.adopt(active.job, active.attempt));
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

// A few at a time: others wait for the same thread.
Result<void> JobService::forget_old() {
  using Clock = std::chrono::steady_clock;
  if (kept_for_.count() == 0 || Clock::now() < next_forgetting_) return {};
  const auto names = TRY(store_->over_before(now_in_ms() - kept_for_.count(), kForgottenAtOnce));
  for (const std::string& name : names) TRY(remove(name));
  next_forgetting_ = Clock::now() + (names.size() == kForgottenAtOnce ? kBetweenPasses : kBetweenForgetting);
  return {};
}

// A child is asked the cheap way while it lives; what is left of a lost keeper's job holds its lock on.
bool JobService::is_at_work(Active& active) const {
  if (active.child) {
    const pid_t reaped = ::waitpid(*active.child, nullptr, WNOHANG);
    if (reaped == 0) return true;
    active.child.reset();
  }
  return engine_.standing(active.job.id, active.attempt.number) == Standing::kAtWork;
}

Result<void> JobService::finish(Active& active) {
  Job& job = active.job;
  Attempt& attempt = active.attempt;
  const AttemptFolder folder = engine_.folder_of(job.id, attempt.number);
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

Result<void> JobService::start_again(Active& active, const Decision& decision) {
  active.job.state = JobState::kQueued;
  active.job.per_worker.memory_bytes = decision.memory_bytes;
  wait_for_its_turn(active.job);
  return save(active, "failed, to be retried",
              fmt::format("{}; {}", active.attempt.reason.text, decision.why));
}

// Nothing failed, so nothing counts against the job.
Result<void> JobService::go_on_grown(Active& active, const Growth& growth) {
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

std::vector<int> JobService::gpus_to_give(std::int64_t count) const {
  std::set<int> given;
  for (const auto& [id, active] : running_)
    given.insert(active.attempt.gpus.begin(), active.attempt.gpus.end());
  std::vector<int> free;
  for (const int gpu : machine_.gpus) {
    if (static_cast<std::int64_t>(free.size()) < count && !given.contains(gpu)) free.push_back(gpu);
  }
  return free;
}

bool JobService::is_full() const {
  std::int64_t held = 0;
  for (const auto& [id, active] : running_) {
    if (active.job.engine == EngineKind::kLocal)
      held += active.job.per_worker.millicpus * active.attempt.workers;
  }
  return held >= machine_.total.millicpus;
}

// A pass over thousands of jobs takes milliseconds: it never takes more than a part of the time.
Result<void> JobService::schedule() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin_of_pass = Clock::now();
  if (waiting_.for_room().empty() || begin_of_pass < next_pass_ || is_full()) return {};
  std::vector<RunningJob> held;
  for (const auto& [id, active] : running_) {
    if (active.job.engine != EngineKind::kLocal) continue;
    const int limit_s = active.job.spec.time_limit_s;
    held.push_back({id, active.job.owner, active.job.per_worker * active.attempt.workers,
                    limit_s > 0 ? active.attempt.started_ms + std::int64_t{1000} * limit_s : 0});
  }
  const std::vector<Start> starts = choose_starts(machine_.total, held, waiting_.for_room(), now_in_ms());
  next_pass_ = Clock::now() + 8 * (Clock::now() - begin_of_pass);
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
  std::set<int> taken;
  for (const auto& [id, other] : running_)
    taken.insert(other.attempt.ports.begin(), other.attempt.ports.end());
  Active active;
  active.job = std::move(*job);
  Attempt& attempt = active.attempt;
  attempt.job_id = start.id;
  attempt.number = ++active.job.attempts;
  attempt.workers = start.workers;
  attempt.started_ms = now_in_ms();
  attempt.nodes = start.nodes;
  if (active.job.engine == EngineKind::kLocal) {
    attempt.ports = TRY(free_ports(ports_needed(active.job.framework, start.workers), taken));
    attempt.gpus = gpus_to_give(active.job.per_worker.gpus * start.workers);
  }
  active.job.state = attempt.state = JobState::kRunning;
  active.job.reason.clear();
  if (active.job.started_ms == 0) active.job.started_ms = attempt.started_ms;
  waiting_.remove(start.id);
  Active& placed = running_[start.id] = std::move(active);
  TRY(save(placed, "started",
           fmt::format("attempt {} with {}", placed.attempt.number, in_ranks(placed.attempt.workers))));
  return launch(placed);
}

Result<void> JobService::launch(Active& active) {
  active.is_launched = true;
  const auto keeper = engine_.start(active.job, active.attempt);
  if (keeper.ok()) {
    active.child = keeper.value();
    return {};
  }
  const Error& error = keeper.error();
  Active failed = std::move(active);
  running_.erase(failed.job.id);
  failed.job.state = failed.attempt.state = JobState::kFailed;
  failed.attempt.reason = EndReason::not_started(error);
  failed.job.reason = failed.attempt.reason.text;
  failed.job.ended_ms = failed.attempt.ended_ms = now_in_ms();
  ++ended_[JobState::kFailed];
  return save(failed, "failed", failed.job.reason);
}

}  // namespace lockstep::service
