// Ranks whose signs of life have stopped. Time counts while this process looks: a clock that jumps and a
// machine that slept make nobody silent.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "service/clock.h"
#include "service/engine/attempt_folder.h"
#include "service/job/end_reason.h"

namespace lockstep::service {

// What ended an attempt: written before its end is asked for, so that the next service knows it too.
struct Silence {
  std::vector<int> ranks;
  std::int64_t seconds = 0;

  bool operator==(const Silence&) const = default;
};

// The ranks of one attempt, each with its last sign of life.
class SilenceWatch {
 public:
  struct News {
    std::vector<int> silent = {};  // since this look
    std::vector<int> heard_again = {};
    std::vector<int> lost = {};  // silent for so long that the attempt must end
  };

  // Of an attempt that runs. `patience` 0: nobody is ever silent.
  News look(const AttemptFolder& folder, int workers, std::chrono::seconds patience, ServiceClock::Point now);

 private:
  struct Heard {
    std::int64_t last_ms = 0;  // by the rank's own clock
    ServiceClock::Point at = {};
    bool is_told = false;
  };
  std::map<int, Heard> ranks_;
};

class SilenceJudge {
 public:
  // Between looks at all attempts: ranks give a sign every second. Held by
  // JobServiceTest.AttemptsAreLookedAtOnceASecond.
  static constexpr std::chrono::seconds kBetweenLooks{1};
  // Times the patience after which silence is told: then the attempt is ended. A machine that swaps or a file
  // system that is stuck often comes back before. Held by
  // SilenceJudgeTest.EndsTheAttemptAtTenTimesThePatience.
  static constexpr int kEndsAfter = 10;

  // How long a rank may give no sign of life before that is told; 0: for ever.
  void be_patient(std::chrono::seconds patience) { patience_ = patience; }

  // Whether it is time to look at the attempts again.
  bool is_due(ServiceClock::Point now) { return looks_.is_due(now); }

  struct Judgement {
    std::optional<Silence> told = {};  // ranks that are silent since this look
    std::vector<int> heard_again = {};
    std::optional<Silence> ends = {};  // the attempt, unless its end was asked for before
  };
  // An error: nobody can tell now whether another service told the attempt to end.
  Result<Judgement> judge(SilenceWatch& watch, const AttemptFolder& folder, int workers,
                          ServiceClock::Point now) const;

 private:
  std::chrono::seconds patience_{0};
  Interval looks_{kBetweenLooks};
};

Result<void> write_silence(const AttemptFolder& folder, const Silence& silence);
Result<std::optional<Silence>> read_silence(const AttemptFolder& folder);

// "rank 1 gave no sign of life for 30 s"
EndReason reason_of(const Silence& silence);

// lockstep-findings-v1
base::Json findings_of(const Silence& silence, int workers);

}  // namespace lockstep::service
