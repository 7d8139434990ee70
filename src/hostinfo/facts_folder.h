// Saved facts of hosts: a folder with one JSON file per host, as `lockstep facts` writes them. Each file is
// read and decoded once, and gives both the typed facts and the JSON document that rules read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

struct FactsFile {
  std::string file;
  base::Json document;
  HostFacts facts;
};

// A file that holds no facts.
struct FactsFault {
  std::string file;
  std::optional<std::int64_t> line;
  std::string why;
};

struct FactsFolder {
  std::vector<FactsFile> files;  // in the order of their names
  std::vector<FactsFault> faults;

  std::vector<HostFacts> hosts() const;  // each host once: the first file counts
};

// Also of a single file. An error when it cannot be read or has no facts in it; a broken file of a folder is
// among the faults.
Result<FactsFolder> read_facts_folder(const std::filesystem::path& folder);

}  // namespace lockstep::hostinfo
