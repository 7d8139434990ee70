// Ranks as people write them: "0-2, 4, 6-7".
#pragma once

#include <string>
#include <vector>

namespace lockstep::model {

// `ranks` ascending and without repeats.
std::string compress_ranks(const std::vector<int>& ranks);

}  // namespace lockstep::model
