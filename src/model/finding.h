// The verdict: what is wrong, who began it, what proves it and what to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/evidence.h"
#include "model/fix.h"
#include "model/leaf.h"

namespace lockstep::model {

// Does the fault exist only because the training is distributed?
enum class Scope : std::uint8_t { kDistributed, kOrdinary, kUnknown };

struct Finding {
  Leaf leaf = Leaf::kRunOther;
  std::string code;  // "desync.missing_rank": the finer code below the leaf
  Scope scope = Scope::kUnknown;
  double confidence = 0;          // 0 to 1
  std::vector<int> root_ranks;    // who began it, ascending
  std::vector<int> victim_ranks;  // who only suffered, ascending
  std::string title;
  std::string explanation;
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;  // in the order in which to try them

  bool operator==(const Finding&) const = default;
};

// The job in a few words, for the head of a report.
struct JobSummary {
  std::string framework;
  std::string backend;
  std::optional<int> world_size;
  std::optional<int> hosts;
  std::vector<int> ranks_seen;  // ascending

  bool operator==(const JobSummary&) const = default;
};

// One answer of the tool. Most likely finding first; none means nothing wrong was found.
struct Verdict {
  JobSummary job;
  std::vector<Finding> findings;
  std::vector<std::string> limits;  // what the verdict could not see: "rank 3 left no dump"

  bool operator==(const Verdict&) const = default;
};

}  // namespace lockstep::model
