// NCCL's names and numbers as the model's words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/collective.h"

namespace lockstep::readers {

// "AllReduce", as its logs, RAS and the profiler call it. kUnknown for a name that is not known here.
model::Operation nccl_operation(std::string_view name);

// The numbers of ncclDataType_t and ncclRedOp_t.
model::DataType nccl_data_type(std::uint64_t number);
model::ReduceOp nccl_reduce_op(std::uint64_t number);

// "remote process error", from a number of ncclResult_t; empty when it is no error.
std::string_view nccl_error(std::int64_t result);
inline constexpr std::int64_t kNcclInProgress = 7;

// A communicator's hash in one form for all sources: RAS prints it with and without 0x and leading zeros.
std::string nccl_communicator_name(std::string_view hash);

}  // namespace lockstep::readers
