#include "network/shared_addresses.h"

namespace lockstep::network {

std::set<base::Address> shared_addresses(std::span<const hostinfo::HostFacts> hosts) {
  std::set<base::Address> seen;
  std::set<base::Address> shared;
  for (const hostinfo::HostFacts& host : hosts) {
    std::set<base::Address> own;
    for (const hostinfo::Interface& interface : host.interfaces)
      for (const hostinfo::InterfaceAddress& address : interface.addresses)
        own.insert(address.prefix.address);
    for (const base::Address& address : own)
      if (!address.is_loopback() && !seen.insert(address).second) shared.insert(address);
  }
  return shared;
}

}  // namespace lockstep::network
