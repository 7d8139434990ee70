#include "readers/pytorch/trace_shapes.h"

#include <limits>

#include "model/collective.h"
#include "readers/pytorch/comm_words.h"

namespace lockstep::readers {
namespace {

using model::Operation;

constexpr std::size_t kMostTensors = 64;
constexpr std::size_t kMostDimensions = 64;

bool has_peer(Operation operation) {
  return operation == Operation::kBroadcast || operation == Operation::kReduce ||
         operation == Operation::kGather || operation == Operation::kScatter ||
         model::is_point_to_point(operation);
}

std::optional<int> peer_of(std::optional<std::int64_t> rank) {
  if (!rank || *rank < 0 || *rank > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*rank);
}

// Behind the tensors and the group in the signature of the operation.
std::size_t place_of_peer(Operation operation) {
  const bool has_one_list = operation == Operation::kBroadcast || model::is_point_to_point(operation);
  return has_one_list ? 2 : 3;
}

}  // namespace

model::Collective collective_of_call(base::FastJson args, Operation operation) {
  model::Collective collective;
  if (has_peer(operation)) collective.peer = peer_of(base::integer_member(args, "Rank"));
  if (operation == Operation::kBarrier) return collective;
  const model::DataType type = pytorch_data_type(base::string_member(args, "dtype").value_or(""));
  if (const auto count = base::integer_member(args, "In msg nelems")) {
    collective.input_types = {type};
    collective.input_shapes = {{*count}};
  }
  if (const auto count = base::integer_member(args, "Out msg nelems")) {
    collective.output_types = {type};
    collective.output_shapes = {{*count}};
  }
  return collective;
}

model::Collective collective_of_issue(base::FastJson args, Operation operation) {
  model::Collective collective;
  if (!has_peer(operation)) return collective;
  std::size_t place = 0;
  base::for_each_element(base::member(args, "Concrete Inputs"), [&](base::FastJson input) {
    if (place++ == place_of_peer(operation)) collective.peer = peer_of(base::integer_of(input));
  });
  return collective;
}

model::Collective collective_of_annotation(base::FastJson args) {
  model::Collective collective;
  base::for_each_element(base::member(args, "Input Dims"), [&](base::FastJson dimensions) {
    if (collective.input_shapes.size() == kMostTensors) return;
    model::Shape shape;
    base::for_each_element(dimensions, [&](base::FastJson dimension) {
      if (shape.size() < kMostDimensions) shape.push_back(base::integer_of(dimension).value_or(-1));
    });
    collective.input_shapes.push_back(std::move(shape));
  });
  base::for_each_element(base::member(args, "Input type"), [&](base::FastJson type) {
    if (collective.input_types.size() == kMostTensors) return;
    collective.input_types.push_back(pytorch_data_type(base::string_of(type).value_or("")));
  });
  return collective;
}

}  // namespace lockstep::readers
