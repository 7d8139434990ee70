// Versions in the environment the job would use: asked of its own interpreter, without importing anything.
#pragma once

#include <string>

#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

// `python` empty: python3 of PATH.
void take_versions(const std::string& python, HostFacts& facts);

}  // namespace lockstep::hostinfo
