// What the rules work on: the findings of each witness, and what is known of the job beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"

namespace lockstep::diagnose {

// Where a finding stands in the verdict, most likely first.
enum class Place : std::uint8_t {
  kCause,     // an error that was printed, and that explains what the ranks did
  kShown,     // by what the ranks did
  kDoubtful,  // printed, and no more than a suspicion
  kStatus,    // only that a process ended
  kGuess      // from the words of a log, without a line to show
};

// A finding and where it stands so far.
struct Claim {
  model::Finding finding;
  Place place = Place::kShown;
};

// How far the job came and how it ended.
struct JobFate {
  bool exited_cleanly = false;  // all ranks of the world were recorded and ended with status 0
  bool had_met = false;         // each of several ranks has finished a collective
  bool was_overcome = false;    // it was restarted, and its last attempt ended well
};

struct Story {
  JobFate fate;
  bool was_seen_live = false;                    // `ranks` holds what was seen while the job ran
  std::vector<Claim> ranks;                      // what the ranks did, most likely first
  std::vector<Claim> logs;                       // what was printed, most likely first
  std::optional<model::Finding> interruption;    // whoever ran the job was told to end it
  std::optional<model::Finding> world_size_one;  // processes that each trained alone
  std::optional<model::Finding> silence;         // processes that still run and have stopped printing
  std::vector<std::string> collect_next;         // commands that would show more
  std::vector<std::string> limits_of_ranks;
  std::vector<std::string> limits_of_logs;

  std::optional<model::FindingCode> printed_cause;  // that the logs tell for sure
  std::vector<model::Decision> decisions;           // whoever runs a rule adds its name and reason

  void note(model::Outcome outcome, const model::FindingCode& finding, const model::FindingCode& other = {});

  // The claim stands there from now on; noted where it then precedes or follows another than before.
  void move_to(Claim& claim, Place place);

  std::vector<const Claim*> in_order() const;
};

std::vector<Claim> claims_of_ranks(std::vector<model::Finding> findings);
std::vector<Claim> claims_of_logs(std::vector<model::Finding> findings);

}  // namespace lockstep::diagnose
