// What real packets say of a launch's connections, beside what routes and firewalls said of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/flows/judge_flows.h"
#include "check/probe/probing.h"
#include "hostinfo/host_facts.h"
#include "model/finding.h"

namespace lockstep::probe {

struct Tally {
  std::size_t tried = 0;
  std::size_t open = 0;
  std::size_t as_predicted = 0;
  std::size_t contradicting = 0;
  std::size_t without_prediction = 0;
  std::size_t not_tried = 0;
};
Tally tally(const TrialPlan& plan);

// Adds a finding for each stack and each kind of surprise, says in those that `judgement` has whether packets
// confirm them, and tells what could not be tried.
void judge(const Probing& probing, std::span<const hostinfo::HostFacts> hosts,
           flows::FlowJudgement& judgement);

}  // namespace lockstep::probe
