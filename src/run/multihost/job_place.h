// This host's place in a job that spans several, as the launchers (src/launchers) tell it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launchers/place.h"
#include "run/multihost/socket.h"

namespace lockstep::multihost {

struct Launch {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // "NAME=VALUE"
};

using launchers::JobPlace;

// Nothing for a job of one host, watched by one watcher.
std::optional<JobPlace> find_place(const Launch& launch);

// "host:port" or "[::1]:port".
Result<HostPort> parse_host_port(std::string_view text);

// Whether an address of this host belongs to the name.
bool is_this_host(const std::string& host);

}  // namespace lockstep::multihost
