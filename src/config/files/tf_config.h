// TF_CONFIG and the variables of Keras and DTensor: a cluster and this task's place in it.
#pragma once

#include <string_view>

#include "config/reading.h"

namespace lockstep::config {

// Becomes field::kTensorflowCluster (lists of addresses by job) and the task; text that is no cluster becomes
// field::kTensorflowFault.
void read_tf_config(std::string_view text, const Reading& reading);

}  // namespace lockstep::config
