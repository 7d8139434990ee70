// Both ends of one connection between two watchers, without the connection: bytes in, messages out. A
// satellite's first message is Join, the head's answer Welcome.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "run/multihost/messages.h"
#include "run/multihost/sealed_stream.h"

namespace lockstep::multihost {

inline constexpr std::uint16_t kProtocolVersion = 1;

class Conversation {
 public:
  Conversation(Side side, std::string token, const Nonce& nonce);

  // As of the stream.
  void take(std::string_view bytes);
  std::optional<Message> next();
  bool send(const Message& message);
  std::string_view unsent() const { return stream_.unsent(); }
  void wrote(std::size_t count) { stream_.wrote(count); }

  bool can_send() const { return stream_.can_send(); }
  bool is_trusted() const { return stream_.is_trusted(); }
  Trouble trouble() const { return stream_.trouble(); }
  std::uint16_t other_version() const { return stream_.other_version(); }

 private:
  SealedStream stream_;
  std::deque<Message> messages_;
};

}  // namespace lockstep::multihost
