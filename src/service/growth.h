// An elastic job that runs with fewer ranks than it may have is ended and goes on with more when there is
// room for them again: from its checkpoint, and not at the cost of what it did since.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/clock.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/cluster.h"
#include "service/running_set.h"

namespace lockstep::service {

struct Growth {
  int workers = 0;                         // from now on
  std::vector<std::string> returned = {};  // nodes that were left out and are back

  bool operator==(const Growth&) const = default;
};

// Where more ranks could go.
struct RoomToGrow {
  Resources machine_free = {};
  bool others_wait = false;  // for room on this machine: they come first
  const Clusters& clusters;
};

class GrowthJudge {
 public:
  // Between looks at all attempts: each asks a file system, and nothing there is shorter than a second. Held
  // by JobServiceTest.AttemptsAreLookedAtOnceASecond.
  static constexpr std::chrono::seconds kBetweenLooks{1};

  // So long after its start an attempt may be ended to grow; 0: never.
  void grow_after(std::chrono::seconds earliest) { earliest_ = earliest; }

  // Whether it is time to look at the attempts again.
  bool is_due(ServiceClock::Point now) { return looks_.is_due(now); }

  // How the job of an attempt should go on; none: not now. What another service decided for this attempt, and
  // left in its folder, counts.
  Result<std::optional<Growth>> judge(const RunningAttempt& active, const AttemptFolder& folder,
                                      const RoomToGrow& room, std::int64_t now_ms) const;

 private:
  std::chrono::seconds earliest_{0};
  Interval looks_{kBetweenLooks};
};

std::string in_words(const Growth& growth);

// In the attempt's folder, before the attempt is told to end: whoever is there when it has ended knows why.
Result<void> write_growth(const AttemptFolder& folder, const Growth& growth);
Result<std::optional<Growth>> read_growth(const AttemptFolder& folder);

// When something in the folder changed last, in milliseconds of the wall clock; 0: there is nothing in it.
std::int64_t newest_in(const std::filesystem::path& folder);

}  // namespace lockstep::service
