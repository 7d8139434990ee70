// After a replay: it is compared with the recording, and the user is told.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/exit_status.h"
#include "cli/replay_subject.h"
#include "cli/terminal.h"
#include "replay/stop.h"

namespace lockstep::cli {

struct ReplayEnd {
  int status = 0;          // of the program
  std::uint64_t from = 0;  // after how many steps its script resumed; 0: it began, or comes from an image
  std::filesystem::path folder;
  std::string who = {};  // "copy 2: ", before what is said of it
};

// Writes findings.json. The status: 1 when it ended well and differs, else the program's own.
Result<ExitStatus> conclude_replay(const ReplaySubject& subject, const ReplayRequest& request,
                                   const ReplayEnd& end, Terminal& terminal);

// Found: 0; held nowhere: 1, or the program's own status when it failed.
Result<ExitStatus> tell_where_it_holds(const ReplayRequest& request, int status,
                                       const std::optional<replay::Stop>& stop, Terminal& terminal);

}  // namespace lockstep::cli
