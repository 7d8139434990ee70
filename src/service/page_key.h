// Who may use the page on this machine: whoever has the key that a service tells its user when it starts, and
// that is forgotten when it ends. Others on the machine can reach the port, but not know the key.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

#include "service/http/message.h"

namespace lockstep::service {

class PageKey {
 public:
  PageKey();

  // Behind the "#" the key stays in the browser: it is no part of what is sent.
  std::string address(std::uint16_t port) const;
  std::optional<uid_t> holder(const Request& request) const;

 private:
  std::string text_;
  std::string hash_;
};

}  // namespace lockstep::service
