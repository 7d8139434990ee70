// Handing an attempt in to a scheduler that may go away in the middle of it. That it does not answer is no
// refusal, and whoever asked it before may have been heard: an attempt is handed in once.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "service/engine/attempt_folder.h"
#include "service/job/end_reason.h"

namespace lockstep::service {

struct HandingIn {
  std::string scheduler;                   // "Slurm"
  std::function<Result<bool>()> is_there;  // an error: nobody answers
  std::function<Result<void>()> submit;
  std::function<void()> pause;  // between two questions to one that does not answer
};

struct NotHandedIn {
  EndReason reason = {};
  bool was_asked = false;  // it was to end before the scheduler had it
};

// Until the scheduler has it; else why not. `may_be_there`: somebody may have handed it in before.
std::optional<NotHandedIn> hand_in(const AttemptFolder& folder, const HandingIn& steps, bool may_be_there);

void pause_a_second();

}  // namespace lockstep::service
