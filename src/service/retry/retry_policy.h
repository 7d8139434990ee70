// Whether a failed attempt is followed by another one, and what that one does otherwise. A pure function of
// what is known; each decision comes with its reason in words, which becomes an event of the job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/finding.h"
#include "service/job/job.h"

namespace lockstep::service {

// What `lockstep check --fix` would change so that a failed attempt can work, as far as it is the job's own:
// its variables and its command. Written by the attempt's supervisor, read by whoever decides what follows.
struct SetUpRepair {
  struct Change {
    std::string variable = {};
    std::optional<std::string> before = {};
    std::optional<std::string> after = {};  // none: it is taken away
    std::string node = {};                  // empty: on all

    bool operator==(const Change&) const = default;
  };
  std::vector<Change> changes = {};
  std::vector<std::string> command = {};  // as it must be; empty: it stays
  std::vector<std::string> codes = {};    // that jobs show which have these faults
  std::vector<std::string> because = {};  // "rule N14: ..."
  std::vector<std::string> outside = {};  // what only somebody else can change, in words

  bool changes_the_job() const { return !changes.empty() || !command.empty(); }
  bool operator==(const SetUpRepair&) const = default;
};

// "changed GLOO_SOCKET_IFNAME from ib7 to nothing because of rule N14: ..."
std::string in_words(const SetUpRepair& repair);

base::Json encode_set_up_repair(const SetUpRepair& repair);
SetUpRepair decode_set_up_repair(const base::Json& json);

struct FailedAttempt {
  const Job& job;
  const Attempt& attempt;
  std::vector<model::Finding> findings;   // most likely first
  std::vector<RankEnd> silent;            // ranks that left no last word, with their last sign of life
  std::int64_t newest_checkpoint_ms = 0;  // 0: there is none
  SetUpRepair repair = {};                // of its set-up, as the rules have it
};

struct Decision {
  bool is_retried = false;
  std::string why;            // for people
  Repairs repairs;            // of the job from now on
  std::int64_t memory_bytes;  // of each worker from now on
};

Decision decide(const FailedAttempt& failed);

// The finding that says best why an attempt failed: the error of the user's own that made the ranks wait,
// where there is one, or else the likeliest; nullptr: there is none.
const model::Finding* cause_among(const std::vector<model::Finding>& findings);

}  // namespace lockstep::service
