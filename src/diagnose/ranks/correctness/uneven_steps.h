// Ranks that were through with their steps while the others had more to do, and now wait for them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/ranks/align.h"
#include "model/finding.h"

namespace lockstep::ranks {

enum class Ending : std::uint8_t {
  kRuns,          // or nothing tells
  kSaidGoodbye,   // it ended cleanly
  kFellSilent,    // it completed its last step and did nothing more
  kFailedOrGone,  // it did not end by itself
};

struct StepCount {
  int rank = 0;
  std::uint64_t steps = 0;                       // that it began
  std::optional<std::uint64_t> last_step;        // its number, where steps are numbered
  std::uint64_t collectives = 0;                 // in the largest communicator
  std::optional<std::uint64_t> last_collective;  // its number there
  Ending ending = Ending::kRuns;
  bool waits = false;  // in a collective

  bool operator==(const StepCount&) const = default;
};

struct UnevenSteps {
  std::vector<StepCount> counts;       // of all ranks, ascending
  std::vector<int> ended_early;        // after fewer steps or collectives than others, who wait; ascending
  std::vector<int> waiting;            // in a collective with more behind them; ascending
  std::uint64_t steps_of_early = 0;    // the most that one of those did
  std::uint64_t steps_of_waiting = 0;  // the fewest
  bool counts_steps = false;           // else what is counted are collectives

  bool operator==(const UnevenSteps&) const = default;
};

// Nothing where all ranks came equally far or none waits.
std::optional<UnevenSteps> find_uneven_steps(const model::Job& job, const Alignment& alignment);

// Makes a finding about missing ranks say so when all of them ended after fewer steps than the others: the
// commonest reason of all, and the easiest to mend.
void explain_by_uneven_steps(const UnevenSteps& uneven, model::Finding& finding);

}  // namespace lockstep::ranks
