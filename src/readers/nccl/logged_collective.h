// The arguments of a logged operation as a model::Collective.
#pragma once

#include "model/job.h"
#include "readers/nccl/log_line.h"

namespace lockstep::readers {

// Keeps equal ones once; a log repeats a few thousand of them millions of times.
class LoggedCollectives {
 public:
  model::CollectiveId id_of(const NcclOperationMessage& message);

  using Collectives = decltype(model::Job::collectives);
  Collectives& collectives() { return collectives_; }

 private:
  struct Arguments {
    model::Operation operation{};
    std::int64_t count = 0;
    std::uint64_t data_type = 0;
    std::uint64_t reduce_op = 0;
    int root = 0;
    int ranks = 0;

    bool operator==(const Arguments&) const = default;
  };
  struct ArgumentsHash {
    std::size_t operator()(const Arguments& arguments) const;
  };

  std::unordered_map<Arguments, model::CollectiveId, ArgumentsHash> ids_;
  Collectives collectives_;
};

}  // namespace lockstep::readers
