// `check --probe`: agents on the job's hosts, their facts where none are given, and what real packets say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "check/flows/judge_flows.h"
#include "check/probe/agents.h"
#include "check/probe/probing.h"
#include "cli/args.h"
#include "config/configuration.h"
#include "hostinfo/host_facts.h"

namespace lockstep::cli {

class Terminal;

class CheckProbe {
 public:
  // Starts the agents, or says how to, and waits for them. An error when none comes.
  static Result<std::unique_ptr<CheckProbe>> begin(const Args& args,
                                                   const config::Configuration& configuration,
                                                   Terminal& terminal);
  CheckProbe(const CheckProbe&) = delete;
  CheckProbe& operator=(const CheckProbe&) = delete;
  ~CheckProbe();

  // Where the facts are: what --facts says, or a folder for this check with those of the agents.
  Result<std::string> facts_folder();

  // The facts are read: a folder of this check's own is removed.
  probe::Probing run(const config::Configuration& configuration,
                     const std::vector<hostinfo::HostFacts>& hosts);

 private:
  CheckProbe(const Args& args, const config::Configuration& configuration, Terminal& terminal);
  Result<void> start();
  Result<void> ask_for_agents();
  hostinfo::RemoteRequest request() const;
  void tell_who_is_missing(std::size_t expected);
  std::size_t expected_hosts() const;
  void remove_own_folder();

  const Args& args_;
  const config::Configuration& configuration_;
  Terminal& terminal_;
  std::vector<std::string> hosts_;
  std::string token_;
  std::optional<probe::Agents> agents_;
  std::vector<std::string> missing_;
  std::string own_folder_;  // that goes with this object
};

}  // namespace lockstep::cli
