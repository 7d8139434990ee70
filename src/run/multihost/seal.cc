#include "run/multihost/seal.h"

#include <cerrno>
#include <cstring>
#include <sys/random.h>

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

}  // namespace lockstep::multihost
