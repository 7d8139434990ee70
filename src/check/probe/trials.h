// Which connections are tried for a launch, from where to where, in which order, and what is expected of each
// by routes and firewalls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check/flows/required_flows.h"
#include "check/probe/messages.h"
#include "hostinfo/host_facts.h"
#include "network/ports.h"
#include "network/reach.h"

namespace lockstep::probe {

// Beyond so many hosts not all pairs are tried: 200 hosts are 39,800 pairs already. Held by
// Trials.BeyondTwoHundredHostsOneOfEachKindAndAllThatAreExpectedToFail.
inline constexpr std::size_t kMaxHostsForAllPairs = 200;

// Where an agent listens: at one port of the range.
struct Listener {
  std::size_t host = 0;
  base::Address address = {};
  network::PortRange ports = {};
  std::uint16_t port = 0;  // the one it got; 0: none yet
  int error = 0;           // errno, when it cannot
};

struct Trial {
  std::size_t source = 0;  // places among the hosts
  std::size_t destination = 0;
  std::optional<base::Address> bound = {};
  base::Address address = {};
  std::size_t listener = 0;
  std::vector<flows::FlowKind> kinds = {};  // that need the connection
  network::Reach predicted = network::Reach::kOpen;
  network::PortSet blocked_ports = {};  // by the facts
  std::string why = {};                 // it is blocked or not known
  std::uint32_t large_bytes = 0;
  bool is_first = false;  // of the set that shows each kind of way once
  Outcome outcome = {};
};

struct TrialPlan {
  std::vector<Listener> listeners = {};
  std::vector<Trial> trials = {};
  std::size_t left_out = 0;  // connections that are not tried: too many hosts
  std::size_t not_tcp = 0;   // connections that are none of TCP
  std::size_t without_agent = 0;

  // Of the port that the listener got.
  network::Reach expected(const Trial& trial) const;
};

// Hosts where `has_agent` is false neither call nor answer.
TrialPlan plan_trials(const flows::FlowPlan& flows, std::span<const hostinfo::HostFacts> hosts,
                      const std::vector<bool>& has_agent);

// Who is measured when: in each round a host is part of one pair at most, so that no measure disturbs
// another.
using MeasuringRound = std::vector<std::pair<std::size_t, std::size_t>>;  // from, to

// Every ordered pair once.
std::vector<MeasuringRound> measuring_rounds(std::size_t hosts);

}  // namespace lockstep::probe
