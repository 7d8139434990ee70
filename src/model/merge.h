// One job from what each input tells.
//
// Every reader makes a small Job of its own file, with its own ids. merge() gives equal things one id, joins
// what several files tell about one rank, finds the number of a rank that its file does not name (same host
// and process), keeps only the last attempt of a job that was restarted, and resolves communicators whose
// members one file does not know but another does. The result does not depend on the order of the parts.
#pragma once

#include <vector>

#include "model/job.h"

namespace lockstep::model {

Job merge(std::vector<Job> parts);

}  // namespace lockstep::model
