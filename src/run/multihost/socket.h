// TCP as the watchers use it: never blocking.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/net/address.h"
#include "base/process/descriptor.h"
#include "base/result.h"
#include "run/multihost/messages.h"

namespace lockstep::multihost {

using base::HostPort;

// On all addresses of this host, IPv6 too where there is one.
Result<process::Descriptor> listen_on(std::uint16_t port);

struct Accepted {
  process::Descriptor connection;
  std::string address;  // of the other side
};
// Not open when nobody waits.
Accepted accept_from(int listener);

// Waits for the name server, but not for the connection.
Result<process::Descriptor> begin_connecting(const HostPort& to);
// Bytes that are there go into the conversation, its bytes into the connection, as far as that goes now.
// Empty, or why the connection is over.
std::string exchange(int fd, Conversation& conversation);

}  // namespace lockstep::multihost
