// The difference of two texts as `patch` takes it.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::repair {

// Empty when they are equal.
std::string line_diff(const std::string& file, std::string_view before, std::string_view after);

}  // namespace lockstep::repair
