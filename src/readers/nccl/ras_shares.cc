#include "readers/nccl/ras_shares.h"

#include <algorithm>
#include <utility>

namespace lockstep::readers {

void name_the_rest(std::vector<RasShare>& shares, int communicator_size, const std::set<int>& absent) {
  const auto is_unnamed = [](const RasShare& share) { return share.named.empty(); };
  if (communicator_size <= 0 || std::ranges::count_if(shares, is_unnamed) != 1) return;
  std::set<int> taken = absent;
  std::int64_t counted = static_cast<std::int64_t>(absent.size());
  for (const RasShare& share : shares) {
    counted += share.ranks;
    taken.insert(share.named.begin(), share.named.end());
  }
  RasShare& rest = *std::ranges::find_if(shares, is_unnamed);
  const bool adds_up =
      counted == communicator_size && std::cmp_equal(taken.size(), communicator_size - rest.ranks);
  if (!adds_up || (!taken.empty() && (*taken.begin() < 0 || *taken.rbegin() >= communicator_size))) return;
  for (int rank = 0; rank < communicator_size; ++rank) {
    if (!taken.contains(rank)) rest.named.push_back(rank);
  }
}

}  // namespace lockstep::readers
