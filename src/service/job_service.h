// The service itself, without its network: jobs come in, wait, run, are followed to their end and judged. One
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/admission.h"
#include "service/clock.h"
#include "service/engine/engine.h"
#include "service/engine/machine.h"
#include "service/engine/report_maker.h"
#include "service/growth.h"
#include "service/job/job.h"
#include "service/outbox.h"
#include "service/retention.h"
#include "service/retry/retry_policy.h"
#include "service/running_set.h"
#include "service/schedule/scheduler.h"
#include "service/silence.h"
#include "service/store/store.h"

namespace lockstep::service {

class JobService {
 public:
  // Jobs are forgotten so long after their end; 0: never.
  JobService(std::unique_ptr<Store> store, std::unique_ptr<Engine> engine, Clusters clusters, Machine machine,
             ReportMaker reports, std::chrono::milliseconds kept_for = {},
             std::unique_ptr<ServiceClock> clock = std::make_unique<SystemClock>())
      : store_(std::move(store)),
        engine_(std::move(engine)),
        clusters_(std::move(clusters)),
        machine_(std::move(machine)),
        clock_(std::move(clock)),
        retention_(kept_for),
        reports_(std::move(reports)) {}

  // Finds the jobs that are in the store and not known here: those that wait and those that run on.
  Result<void> recover();

  // Those that come together cost one write to the disk. One answer for each, in their order.
  Result<std::vector<Submitted>> submit(std::span<const Submission> submissions);
  Result<Job> cancel(Job job);  // one of another service: as soon as that one hears of it
  // A new job like one that is over. The values of its environment were forgotten: here are those of the new.
  Result<Submitted> retry(const Job& job, const std::string& owner,
                          const std::map<std::string, std::string>& environment);
  Result<void> remove(const std::string& job_id);

  // Who gives no sign of life for so long is named, and ends the attempt in the end; 0: never.
  void watch_for_silence(std::chrono::seconds patience) { silence_patience_ = patience; }

  // An elastic job goes on with more ranks when there is room, so long after its start at the earliest; 0:
  // never.
  void grow_after(std::chrono::seconds time) { grow_after_ = time; }

  // Looks after what runs and starts what can start.
  Result<void> tick();

  Store& store() { return *store_; }
  const Store& store() const { return *store_; }
  const Engine& engine() const { return *engine_; }
  ReportMaker& reports() { return reports_; }
  const Machine& machine() const { return machine_; }
  bool has_unfinished_jobs() const { return waiting_.size() > 0 || !running_.empty() || !outbox_.is_empty(); }
  bool is_unfinished(const std::string& job_id) const;
  std::size_t waiting_count() const { return waiting_.size(); }
  std::size_t running_count() const { return running_.size(); }
  std::int64_t ended_count(JobState state) const;

 private:
  Result<void> take_admission(const Admitted& admitted, Submitted& submitted);
  Result<void> save(RunningAttempt& active, std::string kind, std::string detail);
  Result<void> begin(const Start& start);
  Result<void> launch(RunningAttempt& active);
  Result<void> catch_up();
  Result<void> heed_others();
  bool is_at_work(RunningAttempt& active) const;
  Result<void> finish(RunningAttempt& active);
  Result<void> look_for_silence();
  Result<void> look_for_room();
  std::optional<Growth> growth_of(const RunningAttempt& active);
  Result<void> go_on_grown(RunningAttempt& active, const Growth& growth);
  Result<void> schedule();
  Result<void> hand_over();
  Result<void> tell_news(RunningAttempt& active);
  Result<void> adopt(RunningAttempt& active);
  Result<void> start_again(RunningAttempt& active, const Decision& decision);
  Result<void> forget_old();
  void wait_for_its_turn(const Job& job);

  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  Clusters clusters_;
  Machine machine_;
  std::unique_ptr<ServiceClock> clock_;
  Retention retention_;
  std::chrono::seconds silence_patience_{0};
  std::chrono::steady_clock::time_point next_look_for_silence_{};
  std::chrono::seconds grow_after_{0};
  std::chrono::steady_clock::time_point next_look_for_room_{};
  ReportMaker reports_;
  WaitingLine waiting_;
  Outbox outbox_;
  bool is_in_doubt_ = false;  // whether the store has jobs that were refused when it was lost
  std::chrono::steady_clock::time_point next_heeding_{};
  std::chrono::steady_clock::time_point next_pass_{};
  RunningSet running_;
  std::map<JobState, std::int64_t> ended_;
};

}  // namespace lockstep::service
