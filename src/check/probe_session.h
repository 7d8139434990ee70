// `check --probe`: agents on the job's hosts, their facts where none are given, and what real packets say.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/probe/agents.h"
#include "check/probe/probing.h"
#include "config/configuration.h"
#include "hostinfo/host_facts.h"
#include "hostinfo/remote.h"

namespace lockstep::check {

struct ProbeRequest {
  std::vector<std::string> hosts;  // empty: those of the job's host list, or of the facts
  bool is_by_hand = false;         // the user starts the agents
  hostinfo::RemoteRequest remote;  // how they are started otherwise; hosts and sent_to are filled in here
  bool sends_program = false;      // copies this program to the hosts first
  std::string python;              // the job's interpreter there; empty: python3
  std::optional<std::string> listen_at;  // HOST:PORT, where agents started by hand connect to
  std::chrono::seconds wait{60};
  bool measures = false;  // latency and bandwidth between all pairs
  std::function<void(const std::string&)> tell = [](const std::string&) {};  // lines for the user
  std::function<void(std::string_view what, std::size_t done, std::size_t all)> on_progress =
      [](std::string_view, std::size_t, std::size_t) {};
};

class ProbeSession {
 public:
  // Starts the agents, or says how to, and waits for them. An error when none comes. `facts` are those that
  // were given; they name the hosts when nothing else does.
  static Result<std::unique_ptr<ProbeSession>> begin(const ProbeRequest& request,
                                                     const config::Configuration& configuration,
                                                     const std::vector<hostinfo::HostFacts>& facts);
  ProbeSession(const ProbeSession&) = delete;
  ProbeSession& operator=(const ProbeSession&) = delete;
  ~ProbeSession();

  // Asks the agents for the facts of their hosts; gives a folder that goes with this session.
  Result<std::string> collect_facts();

  // The facts are read by now: a folder of this session is removed.
  probe::Probing run(const config::Configuration& configuration,
                     const std::vector<hostinfo::HostFacts>& hosts);

 private:
  ProbeSession(const ProbeRequest& request, const config::Configuration& configuration,
               const std::vector<hostinfo::HostFacts>& facts);
  Result<void> start();
  Result<void> ask_for_agents();
  hostinfo::RemoteRequest remote_request() const;
  void report_missing_agents(std::size_t expected);
  std::size_t expected_hosts() const;
  void remove_own_folder();

  const ProbeRequest& request_;
  const config::Configuration& configuration_;
  std::vector<std::string> hosts_;
  std::vector<std::string> hosts_with_facts_;
  std::string token_;
  std::optional<probe::Agents> agents_;
  std::vector<std::string> missing_;
  std::string own_folder_;
};

}  // namespace lockstep::check
