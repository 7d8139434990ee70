#include "check/probe/handshake.h"

#include <cstring>

#include "base/check.h"
#include "run/multihost/sealed_stream.h"

namespace lockstep::probe {
namespace {

std::string sealed(std::string_view token, std::string_view who, std::string_view nonces,
                   std::string_view text) {
  std::string whole(who);
  whole += nonces;
  whole += text;
  const multihost::Mac mac = multihost::hmac_sha256(token, whole);
  return {reinterpret_cast<const char*>(mac.data()), mac.size()};
}

}  // namespace

std::string to_bytes(const Request& request) {
  std::string bytes(kRequestBytes, '\0');
  const std::uint32_t numbers[] = {request.large_bytes, request.echoes, request.stream_bytes};
  static_assert(sizeof numbers == kRequestBytes);
  std::memcpy(bytes.data(), numbers, sizeof numbers);
  return bytes;
}

Request request_from(std::string_view bytes) {
  std::uint32_t numbers[3] = {};
  std::memcpy(numbers, bytes.data(), sizeof numbers);
  return {.large_bytes = numbers[0], .echoes = numbers[1], .stream_bytes = numbers[2]};
}

std::string Seals::of_request(std::string_view request) const {
  return sealed(token, "lockstep probe 1 caller\n", nonces, request);
}

std::string Seals::of_answer(std::string_view host) const {
  return sealed(token, "lockstep probe 1 answerer\n", nonces, host);
}

bool is_same_seal(std::string_view a, std::string_view b) {
  multihost::Mac mac{};
  if (a.size() != mac.size()) return false;
  std::memcpy(mac.data(), a.data(), mac.size());
  return multihost::is_equal(mac, b);
}

Nonce fresh_nonce() {
  const auto random = multihost::random_nonce();
  CHECK(random.has_value(), "the kernel gives no random bytes");
  Nonce nonce;
  std::memcpy(nonce.data(), random->data(), nonce.size());
  return nonce;
}

}  // namespace lockstep::probe
