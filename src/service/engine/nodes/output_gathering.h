// What the ranks of all nodes print, brought together in the attempt's one file: entries of a node stay in
// their order, those of several come in as they are seen.
#pragma once

#include <vector>

#include "base/process/descriptor.h"
#include "service/engine/attempt_folder.h"

namespace lockstep::service {

class OutputGathering {
 public:
  // Goes on where an earlier one stopped: that is kept beside the file.
  OutputGathering(const AttemptFolder& folder, int nodes);

  void gather();

 private:
  const AttemptFolder folder_;
  std::vector<std::size_t> taken_;  // bytes of each node's file
};

}  // namespace lockstep::service
