// Facts of other hosts: this program started there by ssh, srun, mpirun or kubectl, all hosts at once.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "network/host_facts.h"

namespace lockstep::facts {

enum class Via { kSsh, kSrun, kMpirun, kKubectl };

struct RemoteRequest {
  std::vector<std::string> hosts;  // names for ssh, srun and mpirun; pods ("namespace/pod") for kubectl
  Via via = Via::kSsh;
  std::string program = "lockstep";    // its path there
  bool sends_itself = false;           // copies this binary there first
  std::vector<std::string> arguments;  // of `facts` there: --name, --python
  std::chrono::seconds time{60};
};

struct RemoteFacts {
  std::string host;
  Result<network::HostFacts> facts;
};

// The commands that are run for one host, in order; the last one prints the facts.
std::vector<std::vector<std::string>> commands_for(const RemoteRequest& request, const std::string& host,
                                                   const std::string& own_binary);

// One answer for each host, in the order of the request. Each has its clock's offset against this host's.
std::vector<RemoteFacts> collect_from(const RemoteRequest& request);

}  // namespace lockstep::facts
