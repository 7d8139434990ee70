// Proof that bytes come from somebody who has the job's token, and that none was changed, repeated or left
// out: HMAC-SHA256 under keys that hold for one connection and one direction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::multihost {

inline constexpr std::size_t kMacBytes = 32;
inline constexpr std::size_t kNonceBytes = 32;
using Mac = std::array<std::uint8_t, kMacBytes>;
using Nonce = std::array<std::uint8_t, kNonceBytes>;

Mac hmac_sha256(std::string_view key, std::string_view text);

// Takes as long for a wrong one as for the right one.
bool is_equal(const Mac& a, std::string_view b);

// From the kernel; nothing when it has none to give.
std::optional<Nonce> random_nonce();

enum class Direction : std::uint8_t { kToHead, kToSatellite };

// Seals the messages of one direction one after another.
class Seal {
 public:
  Seal(std::string_view token, const Nonce& of_satellite, const Nonce& of_head, Direction direction);

  // Of the next message.
  Mac mac_of(std::string_view message);

 private:
  std::string key_;
  std::uint64_t count_ = 0;
};

}  // namespace lockstep::multihost
