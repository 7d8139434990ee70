// Both ends of one connection between two parties that have the same token, without the connection: bytes in,
// bodies of messages out.
//
//     satellite                              head
//     greeting: magic, version, nonce  --->
//                                      <---  greeting: magic, version, nonce
//     first message, sealed            --->
//                                      <---  answer, sealed
//     ...                                    ...
//
// The token itself is never sent. From both nonces and the token each side makes the keys of both directions;
// every message is preceded by its length and its seal, so the first one proves that its sender has the
// token. The satellite proves it first: who only knocks learns nothing. A message with a wrong seal ends the
// conversation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::multihost {

// Proof that bytes come from somebody who has the job's token, and that none was changed, repeated or left
// out: HMAC-SHA256 under keys that hold for one connection and one direction.
inline constexpr std::size_t kMacBytes = 32;
inline constexpr std::size_t kNonceBytes = 32;
using Mac = std::array<std::uint8_t, kMacBytes>;
using Nonce = std::array<std::uint8_t, kNonceBytes>;

Mac hmac_sha256(std::string_view key, std::string_view text);

// Takes as long for a wrong one as for the right one.
bool is_equal(const Mac& a, std::string_view b);

// From the kernel; nothing when it has none to give.
std::optional<Nonce> random_nonce();

enum class Direction : std::uint8_t { kToHead, kToSatellite };

// Seals the messages of one direction one after another.
class Seal {
 public:
  Seal(std::string_view token, const Nonce& of_satellite, const Nonce& of_head, Direction direction);

  // Of the next message.
  Mac mac_of(std::string_view message);

 private:
  std::string key_;
  std::uint64_t count_ = 0;
};

enum class Side : std::uint8_t { kHead, kSatellite };

enum class Trouble : std::uint8_t {
  kNone,
  kNotLockstep,   // something else speaks at the other end
  kOtherVersion,  // of the protocol
  kOtherToken,    // the first message is not sealed with our token
  kBroken         // later bytes make no sense
};

struct Protocol {
  std::string_view magic;  // of eight bytes
  std::uint16_t version = 1;
  std::size_t max_message_bytes = 0;
};

class SealedStream {
 public:
  SealedStream(const Protocol& protocol, Side side, std::string token, const Nonce& nonce);

  // Bytes that came. Memory grows by no more than one message, by no more than a small one until the other
  // side has proved that it has the token.
  void take(std::string_view bytes);
  std::optional<std::string> next();
  void fail(Trouble trouble);

  // False, and nothing is sent, when it is larger than the other side would take.
  bool send(std::string_view body);
  // What is to be written to the connection; `wrote` says how much of it was.
  std::string_view unsent() const { return std::string_view(out_).substr(out_begin_); }
  void wrote(std::size_t count);

  bool can_send() const { return sending_.has_value(); }  // greetings are exchanged
  bool is_trusted() const { return is_trusted_; }         // the other side has proved itself
  Trouble trouble() const { return trouble_; }
  std::uint16_t other_version() const { return other_version_; }

 private:
  void greet();
  bool take_greeting();
  bool take_message();

  Protocol protocol_;
  Side side_;
  std::string token_;
  Nonce nonce_;
  std::string in_;
  std::size_t taken_ = 0;  // of it, while messages are taken from it
  std::string out_;
  std::size_t out_begin_ = 0;
  std::deque<std::string> bodies_;
  std::optional<Seal> sending_;
  std::optional<Seal> receiving_;
  bool is_trusted_ = false;
  Trouble trouble_ = Trouble::kNone;
  std::uint16_t other_version_ = 0;
};

}  // namespace lockstep::multihost
