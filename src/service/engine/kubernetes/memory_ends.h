// Ranks that were killed at the memory limit of their pods: Kubernetes knows why, their own last words say no
// more than that they were killed, if there are any.
#pragma once

#include <vector>

#include "service/engine/attempt_folder.h"
#include "service/engine/kubernetes/pod_states.h"

namespace lockstep::service {

// Adds it to their final records.
void note_memory_ends(const AttemptFolder& folder, const std::vector<PodState>& pods);

}  // namespace lockstep::service
