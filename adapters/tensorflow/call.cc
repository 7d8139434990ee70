#include "call.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <tensorflow/core/framework/op_kernel.h>
#include <tensorflow/core/framework/types.h>

#include "groups.h"

namespace lockstep::tensorflow_adapter {
namespace {

constexpr std::size_t kMostErrorBytes = 512;

std::uint8_t operation_of(tensorflow::CollectiveType type) {
  switch (type) {
    case tensorflow::REDUCTION_COLLECTIVE:
      return LOCKSTEP_OPERATION_AllReduce;
    case tensorflow::BROADCAST_COLLECTIVE:
      return LOCKSTEP_OPERATION_Broadcast;
    case tensorflow::GATHER_COLLECTIVE:
      return LOCKSTEP_OPERATION_AllGather;
    case tensorflow::ALL_TO_ALL_COLLECTIVE:
      return LOCKSTEP_OPERATION_AllToAll;
#ifdef LOCKSTEP_HAS_REDUCE_SCATTER_COLLECTIVE
    case tensorflow::REDUCE_SCATTER_COLLECTIVE:
      return LOCKSTEP_OPERATION_ReduceScatter;
#endif
    default:
      return LOCKSTEP_OPERATION_Unknown;
  }
}

std::uint8_t data_type_of(tensorflow::DataType type) {
  switch (type) {
    case tensorflow::DT_BOOL:
      return LOCKSTEP_DATA_TYPE_Bool;
    case tensorflow::DT_INT8:
      return LOCKSTEP_DATA_TYPE_Int8;
    case tensorflow::DT_UINT8:
      return LOCKSTEP_DATA_TYPE_UInt8;
    case tensorflow::DT_INT16:
      return LOCKSTEP_DATA_TYPE_Int16;
    case tensorflow::DT_UINT16:
      return LOCKSTEP_DATA_TYPE_UInt16;
    case tensorflow::DT_INT32:
      return LOCKSTEP_DATA_TYPE_Int32;
    case tensorflow::DT_UINT32:
      return LOCKSTEP_DATA_TYPE_UInt32;
    case tensorflow::DT_INT64:
      return LOCKSTEP_DATA_TYPE_Int64;
    case tensorflow::DT_UINT64:
      return LOCKSTEP_DATA_TYPE_UInt64;
    case tensorflow::DT_HALF:
      return LOCKSTEP_DATA_TYPE_Float16;
    case tensorflow::DT_BFLOAT16:
      return LOCKSTEP_DATA_TYPE_BFloat16;
    case tensorflow::DT_FLOAT:
      return LOCKSTEP_DATA_TYPE_Float32;
    case tensorflow::DT_DOUBLE:
      return LOCKSTEP_DATA_TYPE_Float64;
    case tensorflow::DT_COMPLEX64:
      return LOCKSTEP_DATA_TYPE_Complex64;
    case tensorflow::DT_COMPLEX128:
      return LOCKSTEP_DATA_TYPE_Complex128;
    default:
      return LOCKSTEP_DATA_TYPE_Other;
  }
}

// A mean is a sum with a division at its end.
std::uint8_t reduce_op_of(const tensorflow::CollectiveParams& params) {
  if (params.merge_op == nullptr) return LOCKSTEP_REDUCE_OP_None;
  const auto& merge = params.merge_op->type_string();
  const bool divides = params.final_op != nullptr && params.final_op->type_string() == "Div";
  if (merge == "Add") return divides ? LOCKSTEP_REDUCE_OP_Average : LOCKSTEP_REDUCE_OP_Sum;
  if (merge == "Mul") return LOCKSTEP_REDUCE_OP_Product;
  if (merge == "Minimum") return LOCKSTEP_REDUCE_OP_Minimum;
  if (merge == "Maximum") return LOCKSTEP_REDUCE_OP_Maximum;
  return LOCKSTEP_REDUCE_OP_Other;
}

std::uint32_t intern_shape(const tensorflow::CollInstanceParams& instance) {
  constexpr int kMostDimensions = 32;  // TensorFlow has at most 254, and nobody more than a few
  std::int64_t dimensions[kMostDimensions];
  const int count = std::min(instance.shape.dims(), kMostDimensions);
  for (int at = 0; at < count; ++at) dimensions[at] = instance.shape.dim_size(at);
  lockstep_tensor_facts tensor{};
  tensor.data_type = data_type_of(instance.data_type);
  tensor.dimension_count = static_cast<std::uint32_t>(std::max(count, 0));
  tensor.dimensions = dimensions;
  return lockstep_intern_tensors(&tensor, 1, 0);
}

// "sgd/CollectiveReduceV2: ReduceV2(Add,Id)": behind the name of the node follows what is told by itself.
std::uint32_t intern_name(const std::string& name) {
  return lockstep_intern_string(name.data(), std::min(name.find(':'), name.size()));
}

}  // namespace

std::atomic<std::uint64_t> calls_begun{0};

std::optional<lockstep_ticket> begin_call(const tensorflow::CollectiveParams& params,
                                          const std::string& device) {
  const Meeting meeting = next_meeting(params, device);
  if (meeting.communicator == 0) return std::nullopt;
  const tensorflow::CollInstanceParams& instance = params.instance;
  lockstep_call_facts facts{};
  facts.size = sizeof facts;
  facts.communicator = meeting.communicator;
  facts.sequence = meeting.sequence;
  facts.operation = operation_of(instance.type);
  facts.reduce_op = reduce_op_of(params);
  facts.data_type = data_type_of(instance.data_type);
  facts.peer = -1;
  facts.name = intern_name(params.name);
  facts.tensors = intern_shape(instance);
  facts.payload_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(instance.shape.num_elements(), 0)) *
                        static_cast<std::uint64_t>(tensorflow::DataTypeSize(instance.data_type));
  lockstep_ticket ticket{};
  lockstep_begin_call(&facts, &ticket);
  calls_begun.fetch_add(1, std::memory_order_relaxed);
  return ticket;
}

void end_call(const lockstep_ticket& ticket, const Status& status) noexcept {
  if (status.ok()) return lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
  try {
    const std::string text = status.ToString();
    const std::size_t bytes = std::min(text.size(), kMostErrorBytes);
    lockstep_mark_call(&ticket, LOCKSTEP_DONE_FAILED, lockstep_intern_string(text.data(), bytes), 0);
  } catch (...) {
    lockstep_mark_call(&ticket, LOCKSTEP_DONE_FAILED, 0, 0);
  }
}

}  // namespace lockstep::tensorflow_adapter
