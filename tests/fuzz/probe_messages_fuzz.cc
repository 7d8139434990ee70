// What comes to a probe's agents and to who tells them: bytes of a stranger on every connection, and messages
// of somebody who has the token.
#include <cstdint>
#include <string>
#include <string_view>

#include "check/probe/handshake.h"
#include "check/probe/messages.h"

namespace {

using namespace lockstep::probe;

void to_an_agents_port(std::string_view bytes) {
  Answerer answerer("token", 1, Nonce{});
  for (std::size_t at = 0; at < bytes.size(); at += 13) answerer.take(bytes.substr(at, 13));
  if (answerer.is_trusted()) __builtin_trap();  // nobody guesses a seal
  if (answerer.unsent().size() > kNonceBytes) __builtin_trap();
}

void to_a_caller(std::string_view bytes) {
  Caller caller("token", 1, {.large_bytes = 100, .echoes = 2, .stream_bytes = 100}, Nonce{});
  for (std::size_t at = 0; at < bytes.size(); at += 13)
    caller.take(bytes.substr(at, 13), Caller::Clock::time_point{});
  if (caller.end() != End::kNoAnswer) __builtin_trap();
}

void as_a_friend(std::string_view bytes) {
  const auto message = decode(bytes);
  if (message && decode(encode(*message)) != message) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      to_an_agents_port(bytes);
      break;
    case 1:
      to_a_caller(bytes);
      break;
    default:
      as_a_friend(bytes);
  }
  return 0;
}
