#include "hosts/conversation.h"

#include <cstring>
#include <utility>

#include "base/check.h"

namespace lockstep::hosts {
namespace {

constexpr std::string_view kMagic = "\x89LKHOST\n";
constexpr std::size_t kGreetingBytes = 8 + 2 + 6 + kNonceBytes;  // magic, version, zeros, nonce
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kMostUntrustedBytes = 4096;

}  // namespace

Conversation::Conversation(Side side, std::string token, const Nonce& nonce)
    : side_(side), token_(std::move(token)), nonce_(nonce) {
  if (side_ == Side::kSatellite) greet();
}

void Conversation::greet() {
  out_ += kMagic;
  const std::uint16_t version = kProtocolVersion;
  out_.append(reinterpret_cast<const char*>(&version), sizeof version);
  out_.append(6, '\0');
  out_.append(reinterpret_cast<const char*>(nonce_.data()), nonce_.size());
}

void Conversation::fail(Trouble trouble) {
  trouble_ = trouble;
  in_ = {};
  taken_ = 0;
}

void Conversation::take(std::string_view bytes) {
  if (trouble_ != Trouble::kNone) return;
  in_ += bytes;
  while (trouble_ == Trouble::kNone && (receiving_ ? take_message() : take_greeting())) {
  }
  in_.erase(0, std::exchange(taken_, 0));
}

// True when there may be more behind it, as for messages.
bool Conversation::take_greeting() {
  const std::string_view begun = std::string_view(in_).substr(0, kMagic.size());
  if (begun != kMagic.substr(0, begun.size())) {
    fail(Trouble::kNotLockstep);
    return false;
  }
  if (in_.size() < kGreetingBytes) return false;
  std::memcpy(&other_version_, in_.data() + kMagic.size(), sizeof other_version_);
  if (side_ == Side::kHead) greet();  // also to say our version
  if (other_version_ != kProtocolVersion) {
    fail(Trouble::kOtherVersion);
    return false;
  }
  Nonce other;
  std::memcpy(other.data(), in_.data() + kGreetingBytes - kNonceBytes, kNonceBytes);
  const bool is_head = side_ == Side::kHead;
  const Nonce& of_satellite = is_head ? other : nonce_;
  const Nonce& of_head = is_head ? nonce_ : other;
  const Seal to_head(token_, of_satellite, of_head, Direction::kToHead);
  const Seal to_satellite(token_, of_satellite, of_head, Direction::kToSatellite);
  receiving_ = is_head ? to_head : to_satellite;
  sending_ = is_head ? to_satellite : to_head;
  taken_ = kGreetingBytes;
  return true;
}

bool Conversation::take_message() {
  const std::string_view rest = std::string_view(in_).substr(taken_);
  if (rest.size() < kLengthBytes) return false;
  std::uint32_t length = 0;
  std::memcpy(&length, rest.data(), sizeof length);
  if (length == 0 || length > (is_trusted_ ? kMostMessageBytes : kMostUntrustedBytes)) {
    fail(is_trusted_ ? Trouble::kBroken : Trouble::kOtherToken);
    return false;
  }
  const std::size_t whole = kLengthBytes + kMacBytes + length;
  if (rest.size() < whole) return false;
  const std::string_view body = rest.substr(kLengthBytes + kMacBytes, length);
  const std::string_view mac = rest.substr(kLengthBytes, kMacBytes);
  if (!is_equal(receiving_->mac_of(body), mac)) {
    fail(is_trusted_ ? Trouble::kBroken : Trouble::kOtherToken);
    return false;
  }
  is_trusted_ = true;
  auto message = decode(body);
  if (!message) {
    fail(Trouble::kBroken);
    return false;
  }
  messages_.push_back(*std::move(message));
  taken_ += whole;
  return true;
}

std::optional<Message> Conversation::next() {
  if (messages_.empty()) return std::nullopt;
  Message message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

bool Conversation::send(const Message& message) {
  CHECK(can_send(), "a message before the greeting");
  const std::string body = encode(message);
  if (body.size() > kMostMessageBytes) return false;
  const auto length = static_cast<std::uint32_t>(body.size());
  const Mac mac = sending_->mac_of(body);
  out_.append(reinterpret_cast<const char*>(&length), sizeof length);
  out_.append(reinterpret_cast<const char*>(mac.data()), mac.size());
  out_ += body;
  return true;
}

void Conversation::wrote(std::size_t count) {
  out_begin_ += count;
  if (out_begin_ < out_.size() / 2) return;
  out_.erase(0, out_begin_);
  out_begin_ = 0;
}

}  // namespace lockstep::hosts
