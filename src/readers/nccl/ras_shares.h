// The lists of a RAS text report: how the ranks of a communicator divide by a count or a status. Only sets of
// few ranks are listed by name; where one set is not named and all others are, it is all the rest.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace lockstep::readers {

struct RasShare {
  std::string_view value;
  int ranks = 0;           // as the report counts them
  std::vector<int> named;  // as many as it names
  std::uint32_t line = 0;
};

// Names the ranks of the one unnamed share, where sizes add up. `absent`: ranks that are in no share.
void name_the_rest(std::vector<RasShare>& shares, int communicator_size, const std::set<int>& absent);

}  // namespace lockstep::readers
