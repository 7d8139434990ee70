#include "run/multihost/conversation.h"

#include <utility>

namespace lockstep::multihost {
namespace {

constexpr Protocol kHostsProtocol{
    .magic = "\x89LKHOST\n", .version = kProtocolVersion, .most_message_bytes = kMostMessageBytes};

}  // namespace

Conversation::Conversation(Side side, std::string token, const Nonce& nonce)
    : stream_(kHostsProtocol, side, std::move(token), nonce) {}

void Conversation::take(std::string_view bytes) {
  stream_.take(bytes);
  while (const auto body = stream_.next()) {
    auto message = decode(*body);
    if (!message) return stream_.fail(Trouble::kBroken);
    messages_.push_back(*std::move(message));
  }
}

std::optional<Message> Conversation::next() {
  if (messages_.empty()) return std::nullopt;
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

bool Conversation::send(const Message& message) {
  return stream_.send(encode(message));
}

}  // namespace lockstep::multihost
