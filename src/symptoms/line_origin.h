// Who wrote a line, from the prefix that a launcher put before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::symptoms {

struct LineOrigin {
  std::optional<int> rank;
  std::string host;  // empty: not said
};

// Knows torchrun, mpirun, horovodrun, srun, Ray, kubectl and the frameworks' own prefixes. The "[Rank N]"
// inside ProcessGroupNCCL messages is not believed: it is the rank in some process group, not in the job.
LineOrigin origin_of_line(std::string_view line);

}  // namespace lockstep::symptoms
