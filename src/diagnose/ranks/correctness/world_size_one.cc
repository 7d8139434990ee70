#include "diagnose/ranks/correctness/world_size_one.h"

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "model/finding_code.h"
#include "model/world_size_one.h"

namespace lockstep::ranks {

std::optional<model::Finding> find_world_size_one(std::span<const model::Job> parts) {
  const std::vector<std::size_t> alone = model::world_size_one(parts);
  if (alone.empty()) return std::nullopt;
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfParallel;
  finding.code = model::codes::kWorldOfOne;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence::kWorldOfOne;
  finding.title =
      fmt::format("{} processes trained side by side, each alone in a world of one", alone.size());
  finding.explanation =
      "Each called itself rank 0 of 1 and none waited for another: the same training ran several times "
      "instead "
      "of once on all of them. The launcher's variables did not reach the processes, or each host was "
      "started as a job of its own.";
  constexpr std::size_t kMaxShown = 4;
  for (std::size_t part : alone) {
    if (finding.evidence.size() == kMaxShown) break;
    const model::Job& world = parts[part];
    const auto pid = world.ranks.front().rank.pid;
    finding.evidence.push_back({.file = world.sources.empty() ? "" : world.sources.front(),
                                .line = std::nullopt,
                                .rank = 0,
                                .text = pid ? fmt::format("rank 0 of 1, process {}", *pid) : "rank 0 of 1"});
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
