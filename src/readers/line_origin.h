// Whose line it is: launchers and PyTorch put the rank before every line they pass on.
//
//     [rank3]: text               PyTorch, for an uncaught exception: the global rank
//     [default3]:text             torchrun --tee: role and local rank
//     [1,3]<stderr>:text          mpirun --tag-output and horovodrun: job and rank
//     3: text                     srun --label: the task, which is the rank
#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace lockstep::readers {

struct LineOrigin {
  std::optional<int> rank;
  std::optional<int> local_rank;

  auto operator<=>(const LineOrigin&) const = default;
};

struct OwnedLine {
  LineOrigin origin;
  std::string_view text;  // without what was put before it
};

OwnedLine split_origin(std::string_view line);

}  // namespace lockstep::readers
