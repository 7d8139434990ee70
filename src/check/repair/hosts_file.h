// A name in the hosts file of a host: in its text, in the host's facts, and as the command.
#pragma once

#include <string>
#include <string_view>

#include "hostinfo/host_facts.h"

namespace lockstep::repair {

// The name taken out of every line and given a line of its own.
std::string with_name(std::string_view hosts_file, std::string_view name, std::string_view address);

// As the host would tell of itself with the name in its file. Gives the command; nothing where it is no name
// or no address.
std::string set_name(hostinfo::HostFacts& facts, const std::string& name, const std::string& address);

}  // namespace lockstep::repair
