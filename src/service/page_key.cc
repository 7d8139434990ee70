#include "service/page_key.h"

#include <unistd.h>

#include <fmt/format.h>

#include "service/api/principal.h"
#include "service/job/job_id.h"
#include "service/store/seal.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kPageKeyBytes = 24;

}  // namespace

PageKey::PageKey() : text_("page_" + in_hex(random_bytes(kPageKeyBytes))), hash_(sha256(text_)) {}

std::string PageKey::address(std::uint16_t port) const {
  return fmt::format("http://127.0.0.1:{}/#token={}", port, text_);
}

// Hashes are compared: how long that takes tells nothing of the key.
std::optional<uid_t> PageKey::holder(const Request& request) const {
  const auto token = bearer_token(request);
  if (!token || sha256(*token) != hash_) return std::nullopt;
  return ::geteuid();
}

}  // namespace lockstep::service
