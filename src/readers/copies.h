// Which inputs are copies of one another, so that nothing is counted twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "readers/rank_in_name.h"

namespace lockstep::readers {

struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  auto operator<=>(const Digest&) const = default;
};
// Of a large input only samples are looked at: two that differ may have the same digest, and is_same()
// decides.
Digest digest_of(std::string_view bytes);
bool is_same(std::string_view one, std::string_view other, bool are_mapped_files);

class Copies {
 public:
  // The file with this content that was shown before, none for a new content. Files whose names tell
  // different ranks, hosts or attempts are not copies, however alike: two ranks may well have written the
  // same.
  std::optional<std::size_t> first_like(std::size_t file, const Digest& digest, const RankInName& writer);

 private:
  using Writer = std::tuple<std::optional<int>, std::optional<int>, std::optional<int>, std::string>;

  std::map<Digest, std::map<Writer, std::size_t>> files_;
};

}  // namespace lockstep::readers
