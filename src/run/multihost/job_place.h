// This host's place in a job that spans several, from the launcher's command line and environment: whether it
// does, which one is the head, and where that listens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/multihost/socket.h"

namespace lockstep::multihost {

struct Launch {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // "NAME=VALUE"
};

struct JobPlace {
  std::optional<std::uint32_t> index;  // 0 is the head; empty: whoever has the head's address is
  std::uint32_t count = 0;             // of hosts, or of ranks where each has its own watcher; 0: not known
  std::optional<HostPort> head;        // empty: the launcher does not tell
  std::string_view launcher;           // who told, for people
};

// Nothing for a job of one host, watched by one watcher.
std::optional<JobPlace> find_place(const Launch& launch);

// "host:port" or "[::1]:port".
Result<HostPort> parse_host_port(std::string_view text);

// Whether an address of this host belongs to the name.
bool is_this_host(const std::string& host);

// A port for watchers, from something that all hosts of a job have in common and other jobs have not.
std::uint16_t port_from(std::string_view common);

}  // namespace lockstep::multihost
