// Which releases an entry of the catalogue is about: ">=1.8", "<2.30", ">=2.1,<2.3".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::catalogue {

using Version = std::vector<int>;  // 2.18.3 is {2, 18, 3}

// The numbers at the start of "2.18.3+cuda12.1"; nullopt when there are none.
std::optional<Version> version_from(std::string_view text);

class VersionRange {
 public:
  // nullopt when the text is no range.
  static std::optional<VersionRange> parse(std::string_view text);

  // 2.1 is compared as 2.1.0.
  bool contains(const Version& version) const;

 private:
  enum class Bound : std::uint8_t { kAtLeast, kMoreThan, kAtMost, kLessThan, kExactly };
  struct Limit {
    Bound bound = Bound::kExactly;
    Version version;
  };
  std::vector<Limit> limits_;
};

}  // namespace lockstep::catalogue
