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

std::string ranks_in_words(const std::vector<int>& ranks) {
  if (ranks.empty()) return "no rank";
  std::string list = compress_ranks(ranks);
  if (const std::size_t comma = list.rfind(", "); comma != std::string::npos) list.replace(comma, 2, " and ");
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", list);
}

}  // namespace lockstep::model
