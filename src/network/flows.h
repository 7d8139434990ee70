// What must be open for a job to work: the connections each stack makes, as flows between its hosts. Numbers
// FL1 to FL13 are those of the flow model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "network/choices/choice.h"
#include "network/reach.h"

namespace lockstep::network {

struct JobHost {
  const HostFacts* facts = nullptr;
  Environment environment = {};  // of the job's ranks there
};

struct RequiredFlow {
  std::string id = {};     // "FL8"
  std::string what = {};   // "Gloo connects every pair of ranks"
  std::size_t source = 0;  // hosts of the job
  std::size_t destination = 0;
  Flow flow = {};
};

struct RequiredFlows {
  std::vector<RequiredFlow> flows = {};
  std::vector<std::string> troubles = {};  // "node3: Unable to find address for: eth0": no flow can be named
};

// FL1: every host's ranks to the store on `master` (host index), by its name as each host resolves it.
RequiredFlows store_flows(std::span<const JobHost> hosts, std::size_t master, const std::string& name,
                          std::uint16_t port);

// FL8: for each pair the side with the larger address connects, at any port of the other's own range.
RequiredFlows gloo_flows(std::span<const JobHost> hosts);

// FL4 to FL6: every host to the first one, back, and between neighbours of the ring, at any port.
RequiredFlows nccl_flows(std::span<const JobHost> hosts, LibraryVersion version);

// FL12: any pair may connect in either direction, from port 1024 up unless btl_tcp_port_min_v4 says
// otherwise.
RequiredFlows open_mpi_flows(std::span<const JobHost> hosts);

// FL13: every task to every other, at the ports of TF_CONFIG.
RequiredFlows tensorflow_flows(std::span<const JobHost> hosts);

}  // namespace lockstep::network
