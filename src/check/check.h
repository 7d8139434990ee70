// `lockstep check` as one call: reads the launch and the facts of its hosts, applies the rules, judges the
// job's connections (and tries them with real packets, where asked), and looks for a repair. Prints nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "check/flows/host_matrix.h"
#include "check/probe/probing.h"
#include "check/probe_session.h"
#include "check/repair/repair.h"
#include "config/configuration.h"
#include "hostinfo/host_facts.h"
#include "model/finding.h"

namespace lockstep::check {

struct CheckRequest {
  config::Inputs inputs;
  std::optional<std::string> facts_folder;
  // Where no facts were given: those of this host, for a command that starts a job of one host, this one.
  std::function<hostinfo::HostFacts()> facts_here = {};
  std::optional<ProbeRequest> probe;  // empty: no packets are sent
  bool wants_repair = false;
};

struct CheckResult {
  model::Verdict verdict;
  std::vector<std::string> understood;  // of the launches, in lines for people
  base::Json understood_values;         // the same with all values and their origins
  std::vector<std::string> host_names;  // of all facts, for who redacts them
  flows::HostMatrix matrix;
  std::optional<probe::Probing> probing;
  std::vector<std::string> probed_hosts;  // in the order of the probing
  std::optional<repair::Repair> repair;   // where it was asked for
};

// An error when there is nothing to check, or when facts or agents that were asked for cannot be had.
Result<CheckResult> check(const CheckRequest& request);

// What `check` and `run` look at: the command, the environment it would run under, and the files it names.
config::Inputs launch_inputs(const std::vector<std::string>& command, const std::vector<std::string>& files);

// The quick look at a command before `run` starts it: what cannot work, in lines for people; empty when
// nothing is known to be wrong. Warnings are left to check().
std::string preflight(const std::vector<std::string>& command);

}  // namespace lockstep::check
