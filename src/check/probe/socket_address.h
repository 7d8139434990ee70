// An address and a port as the kernel's calls take them.
#pragma once

#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/net/address.h"

namespace lockstep::probe {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  SocketAddress(const base::Address& address, std::uint16_t port) {
    if (address.family == base::Family::kIpv4) {
      auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
      v4->sin_family = AF_INET;
      v4->sin_port = htons(port);
      std::memcpy(&v4->sin_addr, address.bytes.data(), sizeof v4->sin_addr);
      size = sizeof *v4;
    } else {
      auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
      v6->sin6_family = AF_INET6;
      v6->sin6_port = htons(port);
      std::memcpy(&v6->sin6_addr, address.bytes.data(), sizeof v6->sin6_addr);
      size = sizeof *v6;
    }
  }
  int family() const { return storage.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

inline void set_option(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

// Closing then leaves nothing that waits in the kernel.
inline void leave_nothing_behind(int fd) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace lockstep::probe
