// "Did you mean": the nearest known word to a misspelt one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::base {

// The number of single-character insertions, deletions, changes and neighbour swaps between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known word nearest to `word`, if one is near enough to be what was meant.
std::optional<std::string_view> closest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace lockstep::base
