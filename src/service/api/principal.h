// Who asks, and what they may do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "service/http/message.h"
#include "service/store/store.h"

namespace lockstep::service {

struct Principal {
  std::string owner;
  bool may_read = false;
  bool may_submit = false;
  bool is_admin = false;
};

std::optional<std::string> bearer_token(const Request& request);

// The user whose service this is, at the other end of a Unix socket; else the bearer of a token. Nothing:
// nobody knows who it is.
Result<std::optional<Principal>> principal_of(const Request& request, Store& store, std::int64_t now_ms);

}  // namespace lockstep::service
