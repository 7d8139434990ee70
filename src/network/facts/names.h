// What this host's resolver answers, and what listens here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/net/address.h"

namespace lockstep::network {

// A name of the launch, asked on this host in the ways the libraries ask.
struct ResolvedName {
  std::string name = {};
  std::vector<base::Address> any = {};  // any family, in the resolver's order
  std::string any_error = {};           // "Name or service not known"
  std::vector<base::Address> ipv6 =
      {};  // the IPv6 round of PyTorch's store: IPv4 results come as mapped addresses
  std::string ipv6_error = {};
  std::vector<base::Address> ipv4 = {};
  std::string ipv4_error = {};
  std::string canonical = {};

  bool operator==(const ResolvedName&) const = default;
};

struct ListeningSocket {
  base::Address address = {};
  std::uint16_t port = 0;
  std::string program = {};  // where it can be seen

  bool operator==(const ListeningSocket&) const = default;
};

}  // namespace lockstep::network
