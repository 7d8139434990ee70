#include "kernel_attributes.h"

namespace lockstep::adapters::horovod {
namespace {

constexpr std::size_t kMostKernels = 1 << 16;  // addresses are used again, so a job stays far below

}  // namespace

// One that a kernel does not have keeps its value here.
KernelAttributes read_attributes(const TensorFlowApi& tensorflow, void* construction) {
  KernelAttributes attributes;
  const auto read = [&](const char* name, std::int32_t& value) {
    TensorFlowApi::Status* status = tensorflow.new_status();
    std::int32_t found = value;
    tensorflow.attribute_int(construction, name, &found, status);
    if (tensorflow.code_of(status) == 0) value = found;
    tensorflow.delete_status(status);
  };
  read("process_set_id", attributes.process_set);
  read("reduce_op", attributes.reduce_op);
  read("root_rank", attributes.root_rank);
  TensorFlowApi::Status* status = tensorflow.new_status();
  unsigned char ignores = 0;
  tensorflow.attribute_bool(construction, "ignore_name_scope", &ignores, status);
  attributes.ignores_name_scope = tensorflow.code_of(status) == 0 && ignores != 0;
  tensorflow.delete_status(status);
  return attributes;
}

void KernelTable::keep(const void* kernel, const KernelAttributes& attributes) {
  const std::lock_guard lock(mutex_);
  if (kernels_.size() < kMostKernels) kernels_[kernel] = attributes;
}

bool KernelTable::find(const void* kernel, KernelAttributes& attributes) {
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) return false;
  attributes = found->second;
  return true;
}

}  // namespace lockstep::adapters::horovod
