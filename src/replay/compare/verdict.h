// A comparison of two runs as a verdict: the finding when they differ, and how far they agree when they do
// not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/finding.h"
#include "record/payload.h"
#include "replay/compare/call_details.h"
#include "replay/compare/compare.h"

namespace lockstep::replay {

// What was compared, for the words and the evidence.
struct Compared {
  int rank = 0;
  std::string first;                          // "the recorded run"
  std::string second;                         // "the replay"
  std::filesystem::path file = {};            // that the evidence points to
  std::optional<CallDetails> details = {};    // of the first call that differs
  std::optional<ElementCount> result = {};    // of its result, where both have its bytes
  std::vector<std::string> differences = {};  // of versions and platform between the two
};

// No finding when the two are equal.
std::optional<model::Finding> finding_from(const Comparison& comparison, const Compared& compared);

// "12 inputs of 64 differ, in steps 5 to 11"
std::string growth_in_words(const Comparison& comparison);

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
