// A group of ranks that do collectives together: a process group, an MPI communicator, an NCCL communicator,
// a Horovod process set, a TensorFlow collective group.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep::model {

struct Communicator {
  std::string name;          // the framework's own name; not unique: identity is name and members
  std::string description;   // what the user called it
  std::string backend;       // nccl, gloo, mpi, grpc ...
  std::vector<int> members;  // global ranks in communicator order; empty when nothing tells
  std::optional<int> size;   // known even where the members are not

  bool operator==(const Communicator&) const = default;
};

}  // namespace lockstep::model
