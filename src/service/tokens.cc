#include "service/tokens.h"

#include <algorithm>

#include "base/text_fields.h"
#include "service/job/job.h"
#include "service/store/seal.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kIdBytes = 6;
constexpr std::size_t kLongestOwner = 64;

// Owners of Unix sockets are "uid:0": no token can be one of them.
bool is_owner_name(const std::string& owner) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
  return !owner.empty() && owner.size() <= kLongestOwner &&
         owner.find_first_not_of(kAllowed) == std::string::npos;
}

Result<void> take_scopes(std::string_view scopes, Token& token) {
  while (!scopes.empty()) {
    const std::string_view scope = base::word_of(scopes, ',');
    scopes.remove_prefix(std::min(scope.size() + 1, scopes.size()));
    if (scope == "admin") token.is_admin = true;
    if (scope == "read" || scope == "admin") token.may_read = true;
    if (scope == "submit" || scope == "admin") token.may_submit = true;
    if (scope != "read" && scope != "submit" && scope != "admin") {
      return Error{"cannot make a token", std::string(scope), "no such scope",
                   "the scopes are read, submit and admin"};
    }
  }
  if (token.may_read || token.may_submit) return {};
  return Error{"cannot make a token", "", "it has no scope", "the scopes are read, submit and admin"};
}

Result<std::unique_ptr<Store>> store_of(const StorePlace& place) {
  std::error_code fault;
  fs::create_directories(place.folder, fault);
  if (!fault) fs::permissions(place.folder, fs::perms::owner_all, fault);
  if (fault)
    return Error{"cannot make the folder of the service", place.folder.string(), fault.message(), ""};
  return open_store(place);
}

}  // namespace

Result<NewToken> make_token(const StorePlace& place, const std::string& owner, const std::string& scopes,
                            std::chrono::hours lifetime) {
  if (!is_owner_name(owner)) {
    return Error{"cannot make a token", owner, "no name of an owner",
                 "letters, digits and . _ @ -, at most 64 of them"};
  }
  Token token;
  TRY(take_scopes(scopes, token));
  const std::string text = "lockstep_" + in_hex(random_bytes(kTokenBytes));
  token.id = "tok_" + in_hex(random_bytes(kIdBytes));
  token.hash = sha256(text);
  token.owner = owner;
  token.created_ms = now_in_ms();
  token.expires_ms = token.created_ms + std::chrono::milliseconds(lifetime).count();
  const std::unique_ptr<Store> store = TRY(store_of(place));
  TRY(store->add_token(token));
  return NewToken{token.id, text};
}

Result<std::vector<Token>> list_tokens(const StorePlace& place) {
  const std::unique_ptr<Store> store = TRY(store_of(place));
  return store->tokens();
}

Result<void> revoke_token(const StorePlace& place, const std::string& id) {
  const std::unique_ptr<Store> store = TRY(store_of(place));
  if (TRY(store->remove_token(id))) return {};
  return Error{"cannot revoke the token", id, "there is none of this name",
               "lockstep serve --list-tokens shows them"};
}

std::string scopes_of(const Token& token) {
  std::string scopes = token.may_read ? "read" : "";
  if (token.may_submit) scopes += scopes.empty() ? "submit" : ",submit";
  if (token.is_admin) scopes += ",admin";
  return scopes;
}

}  // namespace lockstep::service
