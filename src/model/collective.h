// The words of collective communication as types, and what a collective (or a send or receive) is, apart from
// who called it and when: the thing that must agree between the ranks of a communicator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/vocabulary.h"

namespace lockstep::model {

#define LOCKSTEP_ENUMERATOR(Name, number, text) k##Name = number,
enum class Operation : std::uint8_t { LOCKSTEP_OPERATIONS(LOCKSTEP_ENUMERATOR) };
enum class ReduceOp : std::uint8_t { LOCKSTEP_REDUCE_OPS(LOCKSTEP_ENUMERATOR) };
enum class DataType : std::uint8_t { LOCKSTEP_DATA_TYPES(LOCKSTEP_ENUMERATOR) };
enum class Activity : std::uint8_t { LOCKSTEP_ACTIVITIES(LOCKSTEP_ENUMERATOR) };
#undef LOCKSTEP_ENUMERATOR

// The printed word. A number from a newer recording that has no word here prints as "unknown".
std::string_view name_of(Operation operation);
std::string_view name_of(ReduceOp op);
std::string_view name_of(DataType type);
std::string_view name_of(Activity activity);

// The inverse; nullopt for a word that is not in the vocabulary.
std::optional<Operation> operation_named(std::string_view name);

// A group of ranks that do collectives together: a process group, an MPI communicator, an NCCL communicator,
// a Horovod process set, a TensorFlow collective group.
struct Communicator {
  std::string name;          // the framework's own name; not unique: identity is name and members
  std::string description;   // what the user called it
  std::string backend;       // nccl, gloo, mpi, grpc ...
  std::vector<int> members;  // global ranks in communicator order; empty when nothing tells
  std::optional<int> size;   // known even where the members are not

  bool operator==(const Communicator&) const = default;
};

// Operations between two ranks; all others are collectives.
constexpr bool is_point_to_point(Operation operation) {
  return operation == Operation::kSend || operation == Operation::kReceive;
}

using Shape = std::vector<std::int64_t>;

struct Collective {
  Operation operation{};
  ReduceOp reduce_op{};
  std::vector<DataType> input_types;
  std::vector<DataType> output_types;
  std::vector<Shape> input_shapes;
  std::vector<Shape> output_shapes;
  // The rank inside the communicator: the root of a rooted collective, the other end of a send or receive.
  std::optional<int> peer;

  bool operator==(const Collective&) const = default;
};

// How many elements all tensors have together; none when a damaged file tells more than a number holds.
std::optional<std::int64_t> element_count(const std::vector<Shape>& shapes);

}  // namespace lockstep::model
