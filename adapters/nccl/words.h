// NCCL's numbers and words in those of lockstep/vocabulary.h.
#pragma once

#include "abi.h"

namespace lockstep::adapters::nccl {

std::uint8_t data_type_of(DataType type);
std::uint8_t data_type_of(const char* word);  // "ncclFloat32"; of NCCL 2.24 and later profilers
std::uint64_t bytes_of(std::uint8_t data_type);

std::uint8_t reduce_op_of(ReduceOp op);

std::uint8_t operation_of(const char* function);  // "AllReduce"
std::uint8_t operation_of(unsigned function);     // the profiler's numbers of NCCL 2.23

}  // namespace lockstep::adapters::nccl
