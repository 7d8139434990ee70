// The service itself, without its network: jobs come in, wait, run, are followed to their end and judged. It
// conducts: admission, the running set, silence, growth, retention and the end of an attempt decide, each by
// itself; what they decide is done here, written down first. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/admission.h"
#include "service/attempt_end.h"
#include "service/clock.h"
#include "service/engine/engine.h"
#include "service/engine/machine.h"
#include "service/engine/report_maker.h"
#include "service/growth.h"
#include "service/job/job.h"
#include "service/retention.h"
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
             std::unique_ptr<ServiceClock> clock = std::make_unique<SystemClock>());

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
  void watch_for_silence(std::chrono::seconds patience) { silence_.be_patient(patience); }

  // An elastic job goes on with more ranks when there is room, so long after its start at the earliest; 0:
  // never.
  void grow_after(std::chrono::seconds time) { growth_.grow_after(time); }

  // The address of the page with the key of its user, where this machine's browsers find it; with a port it
  // is opened if it is not (0: a free one). Nothing: it is not open.
  using PageDoor =
      std::function<Result<std::optional<std::string>>(std::optional<std::uint16_t> port_to_open)>;
  void lead_to_page_by(PageDoor door) { page_door_ = std::move(door); }
  const PageDoor& page_door() const { return page_door_; }

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
  // The steps of a tick, in their order.
  Result<void> catch_up();
  Result<void> follow_attempts();
  Result<void> look_for_silence();
  Result<void> look_for_room();
  Result<void> heed_others();
  Result<void> forget_old();
  Result<void> hand_over();
  Result<void> schedule();

  // An attempt from its start to its end.
  Result<void> begin(const Start& start);
  Result<void> launch(RunningAttempt& active);
  Result<void> pass_on_news(RunningAttempt& active);
  Result<void> adopt(RunningAttempt& active);
  Result<void> put_off(RunningAttempt& active, const Error& error);
  Result<void> bring_to_its_end(RunningAttempt& active);
  Result<void> wait_to_know(RunningAttempt& active, const Error& error);
  void tell_to_end(RunningAttempt& active);
  Result<void> ask_to_end(RunningAttempt& active, std::string why);
  Result<void> settle(RunningAttempt& active, Sequel sequel);

  void wait_for_its_turn(const Job& job);
  Result<void> save(RunningAttempt& active, std::string kind, std::string detail);
  AttemptFolder folder_of(const RunningAttempt& active) const;

  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  Clusters clusters_;
  Machine machine_;
  std::unique_ptr<ServiceClock> clock_;
  ReportMaker reports_;

  WaitingLine waiting_;
  RunningSet running_;
  SilenceJudge silence_;
  GrowthJudge growth_;
  Retention retention_;
  Interval wishes_;  // of other services
  Interval passes_;  // of the scheduler
  Outbox outbox_;
  PageDoor page_door_ = [](std::optional<std::uint16_t>) {
    return Result<std::optional<std::string>>(std::nullopt);
  };
  bool is_in_doubt_ = false;         // whether the store may have jobs whose submitters got an error
  std::optional<Error> doubt_ = {};  // what could not be told since the tick began
  std::map<JobState, std::int64_t> ended_;
};

}  // namespace lockstep::service
