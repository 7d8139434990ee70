// The attempts that run: what each holds of this machine, and what each needs of the service now.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"
#include "service/clock.h"
#include "service/engine/engine.h"
#include "service/engine/machine.h"
#include "service/job/job.h"
#include "service/schedule/scheduler.h"
#include "service/silence.h"

namespace lockstep::service {

// A supervisor that is lost again and again is lost for a reason. Times per attempt and service. Held by
// RunningSetTest.ASupervisorElsewhereIsReplacedAFewTimes.
inline constexpr int kMaxAdoptions = 5;

struct RunningAttempt {
  Job job;
  Attempt attempt;
  bool is_launched = false;
  std::optional<pid_t> child = {};  // our own supervisor, until it was reaped
  SilenceWatch silence = {};
  int adoptions = 0;                                  // by this service
  std::optional<ServiceClock::Point> first_try = {};  // to start it, since it could not be
  std::optional<ServiceClock::Point> next_try = {};
  bool is_told_to_end = true;  // false: its end was asked for, and it may not have heard of that
  std::string doubt = {};      // why nobody can tell how it stands; empty: it can be told
  std::optional<ServiceClock::Point> doubt_told = {};  // in its job's events, the last time
  bool is_told_to_grow = false;
};

// What an attempt needs now: nothing while its supervisor is at work, to be started where that never began,
// another one where that was lost and the
// ranks run on somewhere else, or to be brought to its end.
enum class Need : std::uint8_t { kNothing, kStart, kSupervisor, kEnd };

// Asks the engine. Forgets a child that has ended. An error: nobody can tell now.
Result<Need> need_of(RunningAttempt& active, Engine& engine);

// By job; one attempt of each. Those of other engines hold nothing here.
class RunningSet : public std::map<std::string, RunningAttempt> {
 public:
  Resources held() const;
  bool fills(const Machine& machine) const;  // its cores
  std::vector<RunningJob> for_scheduler() const;

  // The next attempt of a job, with the GPUs and ports that nobody has. Begins nothing.
  Result<RunningAttempt> next_attempt(Job job, const Start& start, const Machine& machine,
                                      std::int64_t now_ms) const;

 private:
  std::vector<int> free_gpus(const Machine& machine, std::int64_t count) const;
  std::set<int> ports() const;
};

std::string in_ranks(std::int64_t count);  // "1 rank", "4 ranks"

}  // namespace lockstep::service
