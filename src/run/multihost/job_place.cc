#include "run/multihost/job_place.h"

#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lockstep::multihost {
namespace {

bool is_same_address(const sockaddr* a, const sockaddr* b) {
  if (a == nullptr || b == nullptr || a->sa_family != b->sa_family) return false;
  if (a->sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in*>(b)->sin_addr.s_addr;
  }
  return a->sa_family == AF_INET6 &&
         std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                     &reinterpret_cast<const sockaddr_in6*>(b)->sin6_addr, sizeof(in6_addr)) == 0;
}

}  // namespace

std::optional<JobPlace> find_place(const Launch& launch) {
  launchers::Launch known{.command = launch.command, .environment = {}};
  for (const std::string& entry : launch.environment) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos)
      known.environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return launchers::find_place(known);
}

Result<HostPort> parse_host_port(std::string_view text) {
  auto found = base::host_port_in(text);
  if (found && found->port != 0) return *std::move(found);
  return Error{"wrong value for '--head'", std::string(text), "not a host and a port", "as node0:29400"};
}

bool is_this_host(const std::string& host) {
  char own[HOST_NAME_MAX + 1] = "";
  ::gethostname(own, sizeof own - 1);
  if (host == own || host == "localhost") return true;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> named(found, ::freeaddrinfo);
  ifaddrs* interfaces = nullptr;
  if (::getifaddrs(&interfaces) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(interfaces, ::freeifaddrs);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    for (const ifaddrs* interface = interfaces; interface != nullptr; interface = interface->ifa_next) {
      if (is_same_address(address->ai_addr, interface->ifa_addr)) return true;
    }
  }
  return false;
}

}  // namespace lockstep::multihost
