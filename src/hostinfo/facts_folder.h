// A folder of saved facts, one JSON file per host.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

struct FactsFolder {
  std::vector<HostFacts> hosts;     // in the order of their file names
  std::vector<std::string> limits;  // files that could not be read, hosts that are there twice
};

// A file alone is a folder of one. An error when there are no facts at all.
Result<FactsFolder> read_facts_folder(const std::filesystem::path& folder);

}  // namespace lockstep::hostinfo
