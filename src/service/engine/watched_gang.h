// The ranks of one node, recorded and watched as `lockstep run` does; over several nodes the watcher of the
// first one has the others' records and judges them all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/finding.h"
#include "run/supervise/join_hosts.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/plan.h"

namespace lockstep::service {

struct GangPlace {
  std::string program;  // this very program
  std::filesystem::path recording;
  std::optional<supervise::HostsRequest> others = {};  // nodes of the attempt
};

struct GangEnd {
  int status = 0;
  bool was_hung = false;   // nothing could go on, so it was ended
  bool was_asked = false;  // somebody else ended it
  std::size_t ranks_recorded = 0;
  std::vector<model::Finding> findings = {};  // of the watcher
};

// Before any rank runs: those of other nodes leave their output in the first one's.
Result<std::filesystem::path> make_gang_recording(const AttemptFolder& folder, const Plan& plan, int node);

Result<GangEnd> run_watched_gang(const AttemptFolder& folder, const Plan& plan, const GangPlace& place);

// For whoever waits for the node elsewhere.
Result<void> write_gang_end(const std::filesystem::path& path, const GangEnd& end);
Result<std::optional<GangEnd>> read_gang_end(const std::filesystem::path& path);

}  // namespace lockstep::service
