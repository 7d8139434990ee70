#include "readers/nccl/words.h"

#include <algorithm>
#include <array>

namespace lockstep::readers {
namespace {

using model::DataType;
using model::Operation;
using model::ReduceOp;

struct OperationName {
  std::string_view name;
  Operation operation;
};

constexpr OperationName kWordsOperations[] = {
    {"AllReduce", Operation::kAllReduce},
    {"AllGather", Operation::kAllGather},
    {"AllGatherV", Operation::kAllGather},
    {"ReduceScatter", Operation::kReduceScatter},
    {"Broadcast", Operation::kBroadcast},
    {"Bcast", Operation::kBroadcast},
    {"Reduce", Operation::kReduce},
    {"AllToAll", Operation::kAllToAll},
    {"AlltoAll", Operation::kAllToAll},
    {"AllToAllv", Operation::kAllToAll},
    {"Gather", Operation::kGather},
    {"Scatter", Operation::kScatter},
    {"Send", Operation::kSend},
    {"Recv", Operation::kReceive},
};

constexpr DataType kWordsDataTypes[] = {
    DataType::kInt8,    DataType::kUInt8,    DataType::kInt32,      DataType::kUInt32,
    DataType::kInt64,   DataType::kUInt64,   DataType::kFloat16,    DataType::kFloat32,
    DataType::kFloat64, DataType::kBFloat16, DataType::kFloat8E4M3, DataType::kFloat8E5M2,
};

// Numbers from five on are operators that the program made with ncclRedOpCreatePreMulSum.
constexpr ReduceOp kWordsReduceOps[] = {ReduceOp::kSum, ReduceOp::kProduct, ReduceOp::kMaximum,
                                        ReduceOp::kMinimum, ReduceOp::kAverage};

constexpr std::string_view kErrors[] = {"",
                                        "unhandled CUDA error",
                                        "system error",
                                        "internal error",
                                        "invalid argument",
                                        "invalid usage",
                                        "remote process error"};

}  // namespace

Operation nccl_operation(std::string_view name) {
  const auto* const found = std::ranges::find(kWordsOperations, name, &OperationName::name);
  return found == std::end(kWordsOperations) ? Operation::kUnknown : found->operation;
}

DataType nccl_data_type(std::uint64_t number) {
  return number < std::size(kWordsDataTypes) ? kWordsDataTypes[number] : DataType::kOther;
}

ReduceOp nccl_reduce_op(std::uint64_t number) {
  return number < std::size(kWordsReduceOps) ? kWordsReduceOps[number] : ReduceOp::kPreMulSum;
}

std::string_view nccl_error(std::int64_t result) {
  if (result == 0 || result == kNcclInProgress) return "";
  if (result < 0 || static_cast<std::size_t>(result) >= std::size(kErrors)) return "unexpected error";
  return kErrors[result];
}

std::string nccl_communicator_name(std::string_view hash) {
  if (hash.starts_with("0x") || hash.starts_with("0X")) hash.remove_prefix(2);
  const std::size_t begin = hash.find_first_not_of('0');
  return "0x" + std::string(begin == std::string_view::npos ? "0" : hash.substr(begin));
}

}  // namespace lockstep::readers
