#include "base/process/free_port.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/process/descriptor.h"

namespace lockstep::process {

Result<int> free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool is_found = socket.is_open() && ::bind(socket.get(), any, size) == 0 &&
                        ::getsockname(socket.get(), any, &size) == 0;
  if (!is_found) return Error{"cannot find a free port", "127.0.0.1", std::strerror(errno), ""};
  return static_cast<int>(ntohs(address.sin_port));
}

}  // namespace lockstep::process
