// Versions in the environment the job would use: asked of its own interpreter, without importing anything.
#pragma once

#include <string>

#include "network/host_facts.h"

namespace lockstep::facts {

// `python` empty: python3 of PATH.
void take_versions(const std::string& python, network::HostFacts& facts);

}  // namespace lockstep::facts
