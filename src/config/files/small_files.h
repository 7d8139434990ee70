// Files and texts of a few lines: lists of hosts, variables, TF_CONFIG.
#pragma once

#include <string_view>

#include "config/reading.h"

namespace lockstep::config {

// TF_CONFIG: a cluster and this task's place in it. Becomes Fields::kTensorflowCluster (lists of addresses by
// job) and the task; text that is no cluster becomes Fields::kTensorflowFault.
void read_tf_config(std::string_view text, const Reading& reading);

// "name slots=4", "name:4", "name", one a line: becomes Fields::kHostList.
void read_hostfile(std::string_view text, const Reading& reading);
// "a:4,b:4" of a flag; `how` names it.
void read_host_list(std::string_view text, const std::string& how, const Reading& reading);
// NAME=VALUE lines: become `section`/NAME. Lines that are neither that nor comments are faults.
void read_variables_file(std::string_view text, const Field<TextMap>& section, const Reading& reading);

bool looks_like_hostfile(std::string_view text);
bool looks_like_variables(std::string_view text);

}  // namespace lockstep::config
