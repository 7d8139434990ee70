// The verdict: what is wrong, who began it, what proves it and what to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/finding_code.h"
#include "model/fix.h"

namespace lockstep::model {

// How the evidence supports the finding, strongest first.
enum class EvidenceLevel : std::uint8_t {
  kSeen,      // the input says it
  kInferred,  // it follows from what several inputs say
  kAbsence    // something that should be there is not
};

// What a finding stands on: a place in the input that a person can go and look at.
struct Evidence {
  std::string file;
  std::optional<std::int64_t> line;
  std::optional<int> rank;
  std::string text;  // the line or record itself, exactly as read; reporters escape it
  EvidenceLevel level = EvidenceLevel::kSeen;

  bool operator==(const Evidence&) const = default;
};

// A line of the user's own code that has to do with the finding: where it happened, or where ranks wait.
struct CodePlace {
  std::string file;  // its name alone: "train.py"
  std::int64_t line = 0;
  std::string function;    // empty: not known
  std::vector<int> ranks;  // that were there, ascending; empty: not known

  bool operator==(const CodePlace&) const = default;
};

// Does the fault exist only because the training is distributed?
enum class Scope : std::uint8_t { kDistributed, kOrdinary, kUnknown };

struct Finding {
  Leaf leaf = Leaf::kRunOther;
  FindingCode code;  // "desync.missing_rank": the finer code below the leaf
  Scope scope = Scope::kUnknown;
  double confidence = 0;          // 0 to 1
  std::vector<int> root_ranks;    // who began it, ascending
  std::vector<int> victim_ranks;  // who only suffered, ascending
  std::string title;
  std::string explanation;
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;              // in the order in which to try them
  std::vector<CodePlace> places = {};  // of the root ranks first
  FindingCode consequence_of = {};     // the finding of this verdict that explains it; empty: a cause

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

// What became of a finding when several were weighed against each other.
enum class Outcome : std::uint8_t {
  kAdded,              // beside those found before
  kOrderedBefore,      // the other one
  kOrderedBehind,      // the other one
  kFoldedInto,         // the other one, which keeps its evidence
  kDropped,            // because of the other one, where there is one
  kRanksNamed,         // as those of the other one
  kConfidenceChanged,  // because of the other one
  kRenamed,            // from the other one
  kExplainedBy,        // the other one, of which it is a consequence
};

// One step from what was found to the verdict.
struct Decision {
  std::string rule;  // "killed_process": its name in the table of rules
  FindingCode finding;
  Outcome outcome = Outcome::kOrderedBefore;
  FindingCode other;   // empty where no other finding has to do with it
  std::string reason;  // what the rule says, in a sentence

  bool operator==(const Decision&) const = default;
};

// One answer of the tool. Most likely finding first; none means nothing wrong was found.
struct Verdict {
  JobSummary job;
  std::vector<Finding> findings;
  std::vector<std::string> limits;  // what the verdict could not see: "rank 3 left no dump"
  std::optional<std::vector<Decision>> decisions = {};  // in their order, where somebody asks for the reasons

  bool operator==(const Verdict&) const = default;
};

}  // namespace lockstep::model
