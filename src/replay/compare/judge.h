// A replay beside what was recorded: the verdict, and where there is nothing to find, how far the two agree.
#pragma once

#include <filesystem>
#include <string>

#include "model/finding.h"
#include "record/payload.h"

namespace lockstep::replay {

struct Replayed {
  std::filesystem::path recording;  // that was replayed
  std::filesystem::path folder;     // of the replay's own recording
  bool may_end_early =
      false;  // it failed, or somebody left it: calls that are missing at its end say nothing
};

struct Judgement {
  model::Verdict verdict;
  std::string agreement;  // "rank 0 replayed bit for bit: ..."; empty: nothing could be compared
};
Judgement judge(const record::Payload& recorded, const Replayed& replayed);

}  // namespace lockstep::replay
