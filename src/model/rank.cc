#include "model/rank.h"

#include <fmt/format.h>

namespace lockstep::model {

std::string compress_ranks(const std::vector<int>& ranks) {
  std::string out;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!out.empty()) out += ", ";
    out += first == last ? fmt::format("{}", ranks[first]) : fmt::format("{}-{}", ranks[first], ranks[last]);
    first = last + 1;
  }
  return out;
}

}  // namespace lockstep::model
