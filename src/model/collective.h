// What a collective (or a send or receive) is, apart from who called it and when: the thing that must agree
// between the ranks of a communicator.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/words.h"

namespace lockstep::model {

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
