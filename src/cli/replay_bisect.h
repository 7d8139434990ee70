// 'lockstep replay --bisect' and '--bisect-command' by partial replays: at the end of few steps it is asked
// whether something holds there, each time in a process made from the nearest image, or from the start.
#pragma once

#include <vector>

#include "base/result.h"
#include "cli/exit_status.h"
#include "cli/replay_subject.h"
#include "cli/terminal.h"
#include "replay/checkpoint/image.h"

namespace lockstep::cli {

// Found: 0; held nowhere: 1.
Result<ExitStatus> bisect_by_partial_replays(const ReplaySubject& subject, const ReplayRequest& request,
                                             const std::vector<checkpoint::Image>& images,
                                             Terminal& terminal);

}  // namespace lockstep::cli
