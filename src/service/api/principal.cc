#include "service/api/principal.h"

#include <algorithm>
#include <cctype>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "service/store/seal.h"

namespace lockstep::service {

std::optional<std::string> bearer_token(const Request& request) {
  const auto header = request.headers.find("authorization");
  if (header == request.headers.end()) return std::nullopt;
  std::string scheme(base::word_of(header->second));
  if (scheme.size() >= header->second.size()) return std::nullopt;
  const std::string_view token = base::trimmed(std::string_view(header->second).substr(scheme.size() + 1));
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char c) { return std::tolower(c); });
  if (scheme != "bearer" || token.empty()) return std::nullopt;
  return std::string(token);
}

Result<std::optional<Principal>> principal_of(const Request& request, Store& store, std::int64_t now_ms) {
  if (request.peer) {
    if (*request.peer != ::geteuid() && *request.peer != 0) return std::optional<Principal>();
    return std::optional(Principal{fmt::format("uid:{}", *request.peer), true, true, true});
  }
  const auto text = bearer_token(request);
  if (!text) return std::optional<Principal>();
  const auto token = TRY(store.token_with_hash(sha256(*text)));
  if (!token || now_ms >= token->expires_ms) return std::optional<Principal>();
  return std::optional(Principal{token->owner, token->may_read, token->may_submit, token->is_admin});
}

}  // namespace lockstep::service
