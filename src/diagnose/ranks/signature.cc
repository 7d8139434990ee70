#include "diagnose/ranks/signature.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::ranks {
namespace {

using model::Collective;
using model::Operation;
using model::Shape;

bool are_uneven(const std::vector<Shape>& shapes) {
  return std::ranges::any_of(shapes, [&](const Shape& shape) { return shape != shapes.front(); });
}

// The tensors of which every member must bring or get the same.
const std::vector<Shape>& shapes_that_must_agree(const Collective& collective) {
  static const std::vector<Shape> kNone;
  switch (collective.operation) {
    case Operation::kAllReduce:
    case Operation::kReduce:
    case Operation::kBroadcast:
    case Operation::kScan:
    case Operation::kGather:
    case Operation::kSend:
      return collective.input_shapes;
    case Operation::kReceive:
      return collective.output_shapes.empty() ? collective.input_shapes : collective.output_shapes;
    case Operation::kAllGather:
      return are_uneven(collective.output_shapes) ? collective.output_shapes : collective.input_shapes;
    case Operation::kReduceScatter:
      return are_uneven(collective.input_shapes) ? collective.input_shapes : collective.output_shapes;
    case Operation::kScatter:
      return collective.output_shapes;
    default:
      return kNone;
  }
}

const std::vector<model::DataType>& types_that_must_agree(const Collective& collective) {
  static const std::vector<model::DataType> kNone;
  switch (collective.operation) {
    case Operation::kBarrier:
    case Operation::kCoalesced:
    case Operation::kJoin:
    case Operation::kCreateCommunicator:
      return kNone;
    case Operation::kScatter:
      return collective.output_types;
    case Operation::kReceive:
      return collective.output_types.empty() ? collective.input_types : collective.output_types;
    default:
      return collective.input_types;
  }
}

}  // namespace

std::optional<Aspect> first_difference(const Signature& left, const Signature& right) {
  if (left.operation != right.operation || left.name != right.name) return Aspect::kOperation;
  const bool has_other_types = left.types != right.types;
  const bool has_other_shapes = left.shapes != right.shapes;
  if (has_other_types && has_other_shapes) return Aspect::kOperation;
  if (has_other_types) return Aspect::kDataType;
  if (has_other_shapes) return Aspect::kShape;
  if (left.reduce_op != right.reduce_op) return Aspect::kReduceOp;
  if (left.root != right.root) return Aspect::kRoot;
  return std::nullopt;
}

bool has_equal_sizes(const Signature& left, const Signature& right) {
  const auto elements_in = [](const Shape& shape) { return model::element_count({shape}); };
  return std::ranges::equal(left.shapes, right.shapes, {}, elements_in, elements_in);
}

Signature signature_of(const model::Job& job, const model::Event& event) {
  Signature signature;
  if (event.collective == model::CollectiveId::kNone) {
    signature.name = event.name;
    return signature;
  }
  const Collective& collective = job.collectives[event.collective];
  signature.operation = collective.operation;
  signature.reduce_op = collective.reduce_op;
  signature.root = collective.peer.value_or(-1);
  signature.types = types_that_must_agree(collective);
  signature.shapes = shapes_that_must_agree(collective);
  if (collective.operation == Operation::kUnknown) signature.name = event.name;
  return signature;
}

std::string operation_in_words(const model::Job& job, const Signature& signature) {
  return std::string(signature.name == model::NameId::kNone ? model::name_of(signature.operation)
                                                            : std::string_view(job.names[signature.name]));
}

std::string describe(const model::Job& job, const Signature& signature) {
  std::string text = operation_in_words(job, signature);
  if (!signature.types.empty()) {
    text += fmt::format(" of {}", model::name_of(signature.types.front()));
  }
  constexpr std::size_t kMaxShapes = 3;
  for (std::size_t at = 0; at < std::min(signature.shapes.size(), kMaxShapes); ++at) {
    text += fmt::format("{} [{}]", at == 0 ? "" : ",", fmt::join(signature.shapes[at], ", "));
  }
  if (signature.shapes.size() > kMaxShapes) {
    text += fmt::format(" and {} more tensors", signature.shapes.size() - kMaxShapes);
  }
  if (signature.reduce_op != model::ReduceOp::kNone) {
    text += fmt::format(", reduce op {}", model::name_of(signature.reduce_op));
  }
  if (signature.root >= 0) text += fmt::format(", root {}", signature.root);
  return text;
}

bool is_synchronising(Operation operation) {
  switch (operation) {
    case Operation::kAllReduce:
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
    case Operation::kBarrier:
      return true;
    default:
      return false;
  }
}

}  // namespace lockstep::ranks
