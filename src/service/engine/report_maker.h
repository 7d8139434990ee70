// The reports of attempts, as `lockstep report` writes them: made when somebody asks, by that very verb in a
// process apart, since reading a recording may take long and much memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>

#include "base/result.h"
#include "service/engine/attempt_folder.h"

namespace lockstep::service {

enum class ReportStanding : std::uint8_t { kReady, kBeingMade, kImpossible };

class ReportMaker {
 public:
  explicit ReportMaker(std::string program) : program_(std::move(program)) {}

  // Begins to make the report unless it is there: of an attempt that is over once, of one that runs again
  // whenever it has become old.
  Result<ReportStanding> ask(const AttemptFolder& folder, bool is_over);
  void reap();

 private:
  std::string program_;
  std::map<std::string, pid_t> makers_;  // by the attempt's folder
  std::map<std::string, int> failures_;  // statuses of makers that ended without a report
};

}  // namespace lockstep::service
