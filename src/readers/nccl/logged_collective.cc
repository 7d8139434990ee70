#include "readers/nccl/logged_collective.h"

#include "model/collective.h"
#include "readers/nccl/words.h"

namespace lockstep::readers {
namespace {

using model::Operation;

bool has_root(Operation operation) {
  return operation == Operation::kBroadcast || operation == Operation::kReduce ||
         operation == Operation::kGather || operation == Operation::kScatter;
}

bool is_reduction(Operation operation) {
  return operation == Operation::kAllReduce || operation == Operation::kReduce ||
         operation == Operation::kReduceScatter;
}

// NCCL prints the elements of one rank; the other side of these operations holds those of all.
std::vector<model::Shape> of_all_ranks(std::int64_t count, int ranks) {
  std::int64_t all = 0;
  if (ranks <= 0 || __builtin_mul_overflow(count, static_cast<std::int64_t>(ranks), &all)) return {};
  return {{all}};
}

model::Collective describe(const NcclOperationMessage& message) {
  const model::DataType type = nccl_data_type(message.data_type);
  const std::vector<model::Shape> own = {{message.count}};
  const Operation operation = message.operation;
  model::Collective collective;
  collective.operation = operation;
  if (is_reduction(operation)) collective.reduce_op = nccl_reduce_op(message.reduce_op);
  if (operation != Operation::kReceive) {
    collective.input_types = {type};
    collective.input_shapes =
        operation == Operation::kReduceScatter ? of_all_ranks(message.count, message.ranks) : own;
  }
  if (operation != Operation::kSend) {
    collective.output_types = {type};
    collective.output_shapes =
        operation == Operation::kAllGather ? of_all_ranks(message.count, message.ranks) : own;
  }
  if (has_root(operation) || model::is_point_to_point(operation)) collective.peer = message.root;
  return collective;
}

}  // namespace

std::size_t LoggedCollectives::ArgumentsHash::operator()(const Arguments& arguments) const {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = static_cast<std::uint64_t>(arguments.count) * kMix;
  hash ^= (arguments.data_type << 40) ^ (arguments.reduce_op << 48) ^
          (static_cast<std::uint64_t>(arguments.operation) << 56) ^
          (static_cast<std::uint64_t>(static_cast<std::uint32_t>(arguments.root)) << 8) ^
          static_cast<std::uint64_t>(static_cast<std::uint32_t>(arguments.ranks));
  return hash * kMix;
}

model::CollectiveId LoggedCollectives::id_of(const NcclOperationMessage& message) {
  const Arguments arguments{.operation = message.operation,
                            .count = message.count,
                            .data_type = message.data_type,
                            .reduce_op = message.reduce_op,
                            .root = message.root,
                            .ranks = message.ranks};
  const auto [place, is_new] = ids_.try_emplace(arguments, model::CollectiveId::kNone);
  if (is_new) place->second = collectives_.intern(describe(message));
  return place->second;
}

}  // namespace lockstep::readers
