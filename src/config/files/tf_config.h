// TF_CONFIG and the variables of Keras and DTensor: a cluster and this task's place in it.
#pragma once

#include <string_view>

#include "config/reading.h"

namespace lockstep::config {

// Becomes "tf/cluster/JOB" (lists of addresses), "tf/task/type", "tf/task/index"; text that is no cluster
// becomes "tf/fault".
void read_tf_config(std::string_view text, const Reading& reading);

}  // namespace lockstep::config
