// Saved facts of hosts: one JSON file each, as `lockstep facts` writes them.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "check/rules/judge.h"
#include "config/configuration.h"

namespace lockstep::rules {

// An error when the folder cannot be walked or has no facts in it; a broken file is among the faults.
Result<std::vector<HostDocument>> read_host_documents(const std::filesystem::path& folder,
                                                      std::vector<config::Fault>& faults);

}  // namespace lockstep::rules
