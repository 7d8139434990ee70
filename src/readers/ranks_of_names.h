// Which rank wrote which file, from the names of all files of a job: "worker-1.log" is rank 1 or rank 2,
// depending on whether there is a chief.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::readers {

// One answer per name, in the same order. A name that says "rank" counts alone. Tasks of a cluster are
// counted chief, master, worker, ps, as TensorFlow and the training operators do. Plain numbers ("out.0",
// "3/stderr", "node1.log") are ranks only where the files of one folder are numbered from 0 without a gap.
std::vector<std::optional<int>> ranks_of_names(std::span<const std::string> names);

}  // namespace lockstep::readers
