// The memory of a tensor.
#pragma once

#include <tensorflow/core/framework/collective.h>
#include <tensorflow/core/framework/op_kernel.h>
#include <tensorflow/core/framework/types.h>

#include "lockstep/recorder.h"

namespace lockstep::tensorflow_adapter {

// Null when it cannot be copied byte by byte.
inline lockstep_piece piece_of(const tensorflow::Tensor& tensor) {
  if (!tensorflow::DataTypeCanUseMemcpy(tensor.dtype())) return {nullptr, 0};
  const auto data = tensor.tensor_data();
  return {data.data(), data.size()};
}

// What others than the source bring to a broadcast is room.
inline bool only_receives(const tensorflow::CollectiveParams& params) {
  return params.instance.type == tensorflow::BROADCAST_COLLECTIVE && !params.is_source;
}

}  // namespace lockstep::tensorflow_adapter
