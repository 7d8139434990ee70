// What lets somebody in over the network: stored as a hash, so that the store tells nobody how to come in.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::service {

struct Token {
  std::string id = {};     // "tok_3f9a..."; names it without giving it away
  std::string hash = {};   // SHA-256 of its text, which is random enough for that
  std::string owner = {};  // whose jobs its bearer sees
  bool may_read = false;
  bool may_submit = false;
  bool is_admin = false;  // sees and ends everybody's jobs
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;
};

}  // namespace lockstep::service
