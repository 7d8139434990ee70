#include "words.h"

#include <string.h>

#include "lockstep/recorder.h"

namespace lockstep::adapters::nccl {
namespace {

struct Type {
  const char* word;
  std::uint8_t number;
  std::uint8_t bytes;
};
// In the order of NCCL's numbers.
constexpr Type kTypes[] = {
    {"ncclInt8", LOCKSTEP_DATA_TYPE_Int8, 1},
    {"ncclUint8", LOCKSTEP_DATA_TYPE_UInt8, 1},
    {"ncclInt32", LOCKSTEP_DATA_TYPE_Int32, 4},
    {"ncclUint32", LOCKSTEP_DATA_TYPE_UInt32, 4},
    {"ncclInt64", LOCKSTEP_DATA_TYPE_Int64, 8},
    {"ncclUint64", LOCKSTEP_DATA_TYPE_UInt64, 8},
    {"ncclFloat16", LOCKSTEP_DATA_TYPE_Float16, 2},
    {"ncclFloat32", LOCKSTEP_DATA_TYPE_Float32, 4},
    {"ncclFloat64", LOCKSTEP_DATA_TYPE_Float64, 8},
    {"ncclBfloat16", LOCKSTEP_DATA_TYPE_BFloat16, 2},
    {"ncclFloat8e4m3", LOCKSTEP_DATA_TYPE_Float8E4M3, 1},
    {"ncclFloat8e5m2", LOCKSTEP_DATA_TYPE_Float8E5M2, 1},
};
constexpr std::size_t kTypeCount = sizeof kTypes / sizeof kTypes[0];

// In the order of NCCL's numbers. The values of an operation that the program made come after them.
constexpr std::uint8_t kReduceOps[] = {LOCKSTEP_REDUCE_OP_Sum, LOCKSTEP_REDUCE_OP_Product,
                                       LOCKSTEP_REDUCE_OP_Maximum, LOCKSTEP_REDUCE_OP_Minimum,
                                       LOCKSTEP_REDUCE_OP_Average};
constexpr ReduceOp kReduceOpCount = sizeof kReduceOps;

struct Named {
  const char* word;
  std::uint8_t operation;
};
// The first five and the two messages also in the order of the numbers that NCCL 2.23 gives profilers.
constexpr Named kOperations[] = {
    {"Broadcast", LOCKSTEP_OPERATION_Broadcast}, {"Reduce", LOCKSTEP_OPERATION_Reduce},
    {"AllGather", LOCKSTEP_OPERATION_AllGather}, {"ReduceScatter", LOCKSTEP_OPERATION_ReduceScatter},
    {"AllReduce", LOCKSTEP_OPERATION_AllReduce}, {"SendRecv", LOCKSTEP_OPERATION_Unknown},
    {"Send", LOCKSTEP_OPERATION_Send},           {"Recv", LOCKSTEP_OPERATION_Receive},
    {"AlltoAll", LOCKSTEP_OPERATION_AllToAll},   {"Scatter", LOCKSTEP_OPERATION_Scatter},
    {"Gather", LOCKSTEP_OPERATION_Gather},
};
constexpr unsigned kNumberedOperations = 8;

}  // namespace

std::uint8_t data_type_of(DataType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kTypeCount ? kTypes[index].number : std::uint8_t{LOCKSTEP_DATA_TYPE_Other};
}

std::uint8_t data_type_of(const char* word) {
  if (word == nullptr) return LOCKSTEP_DATA_TYPE_Unknown;
  for (const Type& type : kTypes) {
    if (::strcmp(type.word, word) == 0) return type.number;
  }
  return LOCKSTEP_DATA_TYPE_Other;
}

std::uint64_t bytes_of(std::uint8_t data_type) {
  for (const Type& type : kTypes) {
    if (type.number == data_type) return type.bytes;
  }
  return 0;
}

std::uint8_t reduce_op_of(ReduceOp op) {
  if (op < 0) return LOCKSTEP_REDUCE_OP_Other;
  return op < kReduceOpCount ? kReduceOps[op] : std::uint8_t{LOCKSTEP_REDUCE_OP_PreMulSum};
}

std::uint8_t operation_of(const char* function) {
  if (function == nullptr) return LOCKSTEP_OPERATION_Unknown;
  for (const Named& named : kOperations) {
    if (::strcmp(named.word, function) == 0) return named.operation;
  }
  return LOCKSTEP_OPERATION_Unknown;
}

std::uint8_t operation_of(unsigned function) {
  return function < kNumberedOperations ? kOperations[function].operation
                                        : std::uint8_t{LOCKSTEP_OPERATION_Unknown};
}

}  // namespace lockstep::adapters::nccl
