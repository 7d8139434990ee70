// A cause of a hang as a finding a person reads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diagnose/ranks/hang/presence.h"
#include "diagnose/ranks/hang/wait_graph.h"
#include "diagnose/ranks/rank_state.h"
#include "model/finding.h"

namespace lockstep::ranks {

// What every telling of a hang needs: the cause, where it shows first, and the finding under construction.

struct HangFindingBuilder {
  HangFindingBuilder(const model::Job& job, const PresenceTable& presence, std::span<const Wait> waits,
                     const Cause& cause);

  // "all_reduce number 204 in group default_pg": where the ranks wait.
  std::string call() const;
  // " since 2026-01-02 10:00:03 UTC", or nothing when no time is known.
  std::string since() const;
  std::string have_been_waiting() const;  // "Ranks 0-1 have been waiting in all_reduce #4 since ... "
  std::vector<int> waiting_ranks() const;

  // Who waits where, equal ones together.
  void add_waiting_evidence();
  // What those were told who gave up waiting, the same words once.
  void add_errors_of_waiting();
  // The last thing a rank that did not come is known to have issued, or that nothing is known.
  void add_last_known(int rank);
  // Where a living rank stands, when somebody took its stack: the recorder's last event may be long ago.
  void add_stack(int rank, const RankState& known);

  const model::Job& job;
  const PresenceTable& presence;
  std::span<const Wait> waits;
  const Cause& cause;
  const Wait& wait;  // the first of the cause
  model::Finding finding;
};

// Each gives the finding its code, title, explanation, confidence and evidence.
void describe_missing(HangFindingBuilder& builder);
void describe_unmatched_message(HangFindingBuilder& builder);
void describe_extra(HangFindingBuilder& builder);
void describe_all_came(HangFindingBuilder& builder);
void describe_circle(HangFindingBuilder& builder);

model::Finding finding_of(const model::Job& job, const PresenceTable& presence, std::span<const Wait> waits,
                          const Cause& cause);

}  // namespace lockstep::ranks
