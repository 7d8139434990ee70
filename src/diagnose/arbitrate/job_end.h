// What a job's end, and how far it came, say about its findings: whether somebody ended it, whether it ended
// well after all, whether its ranks had met.
#pragma once

#include <optional>
#include <vector>

#include "model/finding.h"
#include "model/job.h"

namespace lockstep::diagnose {

// All ranks of the world were recorded and ended with status 0.
bool all_exited_cleanly(const model::Job& job);

// Takes out printed failures of programs, packages and set-up: they would have ended a process, so whoever
// ended well caught them; and guesses from the words of lines that no entry knows. What a job can suffer from
// without ending stays: slowness, results, how it uses its ranks.
void drop_what_they_got_over(std::vector<model::Finding>& from_logs);

// Whether every rank of several has finished a collective.
bool all_have_met(const model::Job& job);

// Puts an error that a rank printed about itself before failures to set communication up: ranks that have
// worked together were connected, and what they print of connections afterwards is how they noticed the end
// of another.
void put_setup_behind_errors(std::vector<model::Finding>& from_logs);

// Symptoms that ranks show because of another rank.
inline bool is_about_waiting(const model::Finding& finding) {
  switch (finding.leaf) {
    case model::Leaf::kSetupHang:
    case model::Leaf::kPrepHang:
    case model::Leaf::kPerfHang:
    case model::Leaf::kRunComm:
    case model::Leaf::kPrepComm:
      return true;
    default:
      return false;
  }
}

// What whoever ran the job said of an end from outside, taken out of what was seen live.
std::optional<model::Finding> take_interruption(std::vector<model::Finding>& seen_live);

// Waits and losses that the records show are then the end itself.
void drop_what_the_end_left(std::vector<model::Finding>& from_ranks);

// A launcher that hears of a worker's failure says so; one that was told to end had them all. Ranks are gone
// because it was, and what they waited for at that moment is no hang unless somebody saw them wait before.
void fold_into_the_signal(std::vector<model::Finding>& from_ranks, bool was_seen_live,
                          std::vector<model::Finding>& from_logs);

}  // namespace lockstep::diagnose
