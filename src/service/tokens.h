// Making, listing and revoking the tokens of a service, whether it runs or not: a running one asks its store
// for every request.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/store/open_store.h"
#include "service/store/store.h"

namespace lockstep::service {

struct NewToken {
  std::string id;
  std::string text;  // shown once; nobody can find it out again
};

// `scopes`: read, submit, admin, with commas between them.
Result<NewToken> make_token(const StorePlace& place, const std::string& owner, const std::string& scopes,
                            std::chrono::hours lifetime);
Result<std::vector<Token>> list_tokens(const StorePlace& place);
Result<void> revoke_token(const StorePlace& place, const std::string& id);

std::string scopes_of(const Token& token);  // "read,submit"

}  // namespace lockstep::service
