// This program on other hosts, started there by ssh, srun, mpirun or kubectl; and their facts, of all hosts
// at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

enum class Via { kSsh, kSrun, kMpirun, kKubectl };

struct RemoteRequest {
  std::vector<std::string> hosts;  // names for ssh, srun and mpirun; pods ("namespace/pod") for kubectl
  Via via = Via::kSsh;
  std::string program = "lockstep";  // its path there
  // Where this binary is copied to first: a folder there that nobody can guess and that must not be there
  // yet. Empty: it is there already.
  std::string sent_to;
  std::string verb = "facts";
  std::vector<std::string> arguments;  // of the verb there: --name, --python
  bool is_talked_to = false;           // it reads what is written to the command
  std::string slurm_job = {};          // in which srun starts it; empty: a new one, or that of this step
  std::chrono::seconds time{60};
};

// What the verb printed there.
struct RemoteText {
  struct Answer {
    std::string text;
    std::int64_t asked_ns = 0;  // by this host's clock
    std::int64_t answered_ns = 0;
  };
  std::string host;
  Result<Answer> text;
};

struct RemoteFacts {
  std::string host;
  Result<HostFacts> facts;
};

// The commands that are run for one host, in order; the last one is the verb itself.
std::vector<std::vector<std::string>> commands_for(const RemoteRequest& request, const std::string& host,
                                                   const std::string& own_binary);

// Takes away the folder that was made on a host where the program could not be started. What starts removes
// itself.
void take_back(const RemoteRequest& request, const std::string& host);

// Where this program is.
std::string own_binary();

// Of a program that was sent: its file and the folder made for it.
void remove_own_copy();

// One answer for each host, in the order of the request: the JSON document that the verb prints.
std::vector<RemoteText> ask_all(const RemoteRequest& request);

// The same of the verb `facts`. Each has its clock's offset against this host's.
std::vector<RemoteFacts> collect_from(const RemoteRequest& request);

}  // namespace lockstep::hostinfo
