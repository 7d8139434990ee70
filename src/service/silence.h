// Ranks whose signs of life have stopped. Time counts while this process looks: a clock that jumps and a
// machine that slept make nobody silent.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/job/end_reason.h"

namespace lockstep::service {

// So many times as long as it takes to be told, an attempt with a silent rank is ended.
inline constexpr int kSilenceThatEnds = 10;

class SilenceWatch {
 public:
  using Clock = std::chrono::steady_clock;

  struct News {
    std::vector<int> silent = {};  // since this look
    std::vector<int> heard_again = {};
    std::vector<int> lost = {};  // silent for so long that the attempt must end
  };

  // Of an attempt that runs. `patience` 0: nobody is ever silent.
  News look(const AttemptFolder& folder, int workers, std::chrono::seconds patience, Clock::time_point now);

 private:
  struct Heard {
    std::int64_t last_ms = 0;  // by the rank's own clock
    Clock::time_point at = {};
    bool is_told = false;
  };
  std::map<int, Heard> ranks_;
};

// What ended an attempt: written before its end is asked for, so that the next service knows it too.
struct Silence {
  std::vector<int> ranks;
  std::int64_t seconds = 0;
};

Result<void> write_silence(const AttemptFolder& folder, const Silence& silence);
std::optional<Silence> read_silence(const AttemptFolder& folder);

// "rank 1 gave no sign of life for 30 s"
EndReason reason_of(const Silence& silence);

// lockstep-findings-v1
std::string findings_of(const Silence& silence, int workers);

}  // namespace lockstep::service
