// The command that lets a blocked connection pass, for the kind of firewall that blocks it.
#pragma once

#include <string>

#include "network/reach.h"

namespace lockstep::flows {

std::string accept_command(const network::Decider& decider, const network::ShownPacket& packet,
                           const network::PortSet& ports);

}  // namespace lockstep::flows
