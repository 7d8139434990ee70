// Everything this host can tell a preflight, taken on it: as any user, and more as root.
#pragma once

#include <string>
#include <vector>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

struct Request {
  std::vector<std::string> names;  // to resolve here, besides those of the environment and the host's own
  std::string python;              // the job's interpreter; empty: python3 of PATH
  std::string program;             // "lockstep 0.1.0"
};

// Never fails: what cannot be seen becomes a sentence in `unseen`. Takes seconds, at most half a minute when
// programs hang.
HostFacts collect(const Request& request);

}  // namespace lockstep::hostinfo
