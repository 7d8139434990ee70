// This program on other hosts, started there by ssh, srun, mpirun or kubectl; and their facts, of all hosts
// at once.
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
  std::string program = "lockstep";  // its path there
  bool sends_itself = false;         // copies this binary there first
  std::string verb = "facts";
  std::vector<std::string> arguments;  // of the verb there: --name, --python
  bool is_talked_to = false;           // it reads what is written to the command
  std::chrono::seconds time{60};
};

struct RemoteFacts {
  std::string host;
  Result<network::HostFacts> facts;
};

// The commands that are run for one host, in order; the last one is the verb itself.
std::vector<std::vector<std::string>> commands_for(const RemoteRequest& request, const std::string& host,
                                                   const std::string& own_binary);

// Where this program is.
std::string own_binary();

// One answer for each host, in the order of the request. Each has its clock's offset against this host's.
std::vector<RemoteFacts> collect_from(const RemoteRequest& request);

}  // namespace lockstep::facts
