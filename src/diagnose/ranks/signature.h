// What of a collective must be equal on every member.
//
// An all_reduce needs the same sizes everywhere, an all_to_all does not; only the root of a gather has
// outputs. Two calls fit together when their signatures are equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job.h"

namespace lockstep::ranks {

struct Signature {
  model::Operation operation = model::Operation::kUnknown;
  model::NameId name = model::NameId::kNone;  // only where the operation is not known
  model::ReduceOp reduce_op = model::ReduceOp::kNone;
  int root = -1;
  std::vector<model::DataType> types;
  std::vector<model::Shape> shapes;

  bool operator==(const Signature&) const = default;
};

enum class Aspect : std::uint8_t { kOperation, kShape, kDataType, kReduceOp, kRoot };

// The first that differs, in this order: operation, data type, shape, reduce op, root. Where data type and
// shape both do, the ranks are at different calls of their program.
std::optional<Aspect> first_difference(const Signature& left, const Signature& right);

// Whether each tensor has as many elements as its twin: then a shape mismatch moves wrong values instead of
// hanging.
bool has_equal_sizes(const Signature& left, const Signature& right);

Signature signature_of(const model::Job& job, const model::Event& event);

// "all_reduce", or the foreign name of what is not known.
std::string operation_in_words(const model::Job& job, const Signature& signature);

// "all_reduce of float32 [1024, 4096]"
std::string describe(const model::Job& job, const Signature& signature);

// True for operations in which no member can finish before every member has come.
bool is_synchronising(model::Operation operation);

}  // namespace lockstep::ranks
