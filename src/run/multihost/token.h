// The secret that all watchers of a job have: what makes them believe each other.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::multihost {

struct TokenSource {
  std::optional<std::filesystem::path> file;  // that the user named
  std::vector<std::string> environment;       // "NAME=VALUE"
};

// In this order: the file that the user named, LOCKSTEP_TOKEN, the secret that Horovod's launcher gives its
// ranks, ~/.config/lockstep/token. Read anew at each call. An error when there is none.
Result<std::string> find_token(const TokenSource& source);

// The same; where nothing else gives one, the user's own file is made, readable for nobody else. Homes are
// mostly shared between the hosts of a cluster, so there nothing remains to be done.
Result<std::string> find_or_make_token(const TokenSource& source);

}  // namespace lockstep::multihost
