// Everything this host can tell a preflight, taken on it: as any user, and more as root.
#pragma once

#include <map>
#include <string>
#include <string_view>
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

inline constexpr std::string_view kMasked = "<masked>";

// Secret by the variable's name, or by the value's form.
bool is_secret(std::string_view name, std::string_view value);

// From "NAME=VALUE" each.
std::map<std::string, std::string> masked(const std::vector<std::string>& environment);

// The environment of this process, with what is secret masked.
std::map<std::string, std::string> masked_environment();

}  // namespace lockstep::hostinfo
