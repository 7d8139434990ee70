// PyTorch's many words for operations and data types in the words of the model.
#pragma once

#include <string_view>

#include "model/words.h"

namespace lockstep::readers {

// "allreduce", "_allgather_base", "gloo:all_reduce", "c10d::broadcast_", "ncclDevKernel_AllReduce_Sum_f32".
model::Operation pytorch_operation(std::string_view name);

// "Float" of a trace, "long int" and "c10::BFloat16" of a type's own name.
model::DataType pytorch_data_type(std::string_view name);

}  // namespace lockstep::readers
