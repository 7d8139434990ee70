// Values that must not lie in the store in clear: sealed with a key that only this user's service can read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::service {

class Seal {
 public:
  // The key is made, readable for its owner only, when it is not there.
  static Result<Seal> with_key_at(const std::filesystem::path& path);

  std::string close(std::string_view clear) const;
  Result<std::string> open(std::string_view sealed) const;

 private:
  explicit Seal(std::string key) : key_(std::move(key)) {}
  std::string key_;
};

std::string in_hex(std::string_view bytes);

// In hex.
bool are_equal_hashes(std::string_view one, std::string_view other);  // in a time that tells nothing
std::string sha256(std::string_view text);

}  // namespace lockstep::service
