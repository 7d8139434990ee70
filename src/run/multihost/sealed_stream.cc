#include "run/multihost/sealed_stream.h"

#include <cerrno>
#include <cstring>
#include <sys/random.h>
#include <utility>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"

namespace lockstep::multihost {

namespace {

std::string_view bytes_of(const auto& array) {
  return {reinterpret_cast<const char*>(array.data()), array.size()};
}

}  // namespace

Mac hmac_sha256(std::string_view key, std::string_view text) {
  Mac mac{};
  unsigned length = 0;
  const unsigned char* made =
      ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &length);
  CHECK(made != nullptr && length == mac.size(), "libcrypto has no HMAC-SHA256");
  return mac;
}

bool is_equal(const Mac& a, std::string_view b) {
  return b.size() == a.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<Nonce> random_nonce() {
  Nonce nonce{};
  ssize_t got = 0;
  do {
    got = ::getrandom(nonce.data(), nonce.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(nonce.size())) return std::nullopt;
  return nonce;
}

Seal::Seal(std::string_view token, const Nonce& of_satellite, const Nonce& of_head, Direction direction) {
  std::string named =
      direction == Direction::kToHead ? "lockstep hosts 1 to head\n" : "lockstep hosts 1 to satellite\n";
  named += bytes_of(of_satellite);
  named += bytes_of(of_head);
  key_ = bytes_of(hmac_sha256(token, named));
}

Mac Seal::mac_of(std::string_view message) {
  std::string counted(sizeof count_, '\0');
  std::memcpy(counted.data(), &count_, sizeof count_);
  ++count_;
  counted += message;
  return hmac_sha256(key_, counted);
}

namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kGreetingBytes = 8 + 2 + 6 + kNonceBytes;  // magic, version, zeros, nonce
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kMaxUntrustedBytes = 4096;  // a stranger can make us keep no more

}  // namespace

SealedStream::SealedStream(const Protocol& protocol, Side side, std::string token, const Nonce& nonce)
    : protocol_(protocol), side_(side), token_(std::move(token)), nonce_(nonce) {
  CHECK(protocol.magic.size() == kMagicBytes, "a magic of another size");
  if (side_ == Side::kSatellite) greet();
}

void SealedStream::greet() {
  out_ += protocol_.magic;
  const std::uint16_t version = protocol_.version;
  out_.append(reinterpret_cast<const char*>(&version), sizeof version);
  out_.append(6, '\0');
  out_.append(reinterpret_cast<const char*>(nonce_.data()), nonce_.size());
}

void SealedStream::fail(Trouble trouble) {
  trouble_ = trouble;
  in_ = {};
  taken_ = 0;
}

void SealedStream::take(std::string_view bytes) {
  if (trouble_ != Trouble::kNone) return;
  in_ += bytes;
  while (trouble_ == Trouble::kNone && (receiving_ ? take_message() : take_greeting())) {
  }
  in_.erase(0, std::exchange(taken_, 0));
}

// True when there may be more behind it, as for messages.
bool SealedStream::take_greeting() {
  const std::string_view begun = std::string_view(in_).substr(0, kMagicBytes);
  if (begun != protocol_.magic.substr(0, begun.size())) {
    fail(Trouble::kNotLockstep);
    return false;
  }
  if (in_.size() < kGreetingBytes) return false;
  std::memcpy(&other_version_, in_.data() + kMagicBytes, sizeof other_version_);
  if (side_ == Side::kHead) greet();  // also to say our version
  if (other_version_ != protocol_.version) {
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

bool SealedStream::take_message() {
  const std::string_view rest = std::string_view(in_).substr(taken_);
  if (rest.size() < kLengthBytes) return false;
  std::uint32_t length = 0;
  std::memcpy(&length, rest.data(), sizeof length);
  if (length == 0 || length > (is_trusted_ ? protocol_.max_message_bytes : kMaxUntrustedBytes)) {
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
  bodies_.emplace_back(body);
  taken_ += whole;
  return true;
}

std::optional<std::string> SealedStream::next() {
  if (bodies_.empty()) return std::nullopt;
  std::string body = std::move(bodies_.front());
  bodies_.pop_front();
  return body;
}

bool SealedStream::send(std::string_view body) {
  CHECK(can_send(), "a message before the greeting");
  if (body.size() > protocol_.max_message_bytes) return false;
  const auto length = static_cast<std::uint32_t>(body.size());
  const Mac mac = sending_->mac_of(body);
  out_.append(reinterpret_cast<const char*>(&length), sizeof length);
  out_.append(reinterpret_cast<const char*>(mac.data()), mac.size());
  out_ += body;
  return true;
}

void SealedStream::wrote(std::size_t count) {
  out_begin_ += count;
  if (out_begin_ < out_.size() / 2) return;
  out_.erase(0, out_begin_);
  out_begin_ = 0;
}

}  // namespace lockstep::multihost
