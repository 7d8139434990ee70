// What each of Horovod's TensorFlow kernels was made with. Kernels are made once and run often.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "tensorflow_api.h"

namespace lockstep::adapters::horovod {

struct KernelAttributes {
  std::int32_t process_set = 0;
  std::int32_t reduce_op = -1;
  std::int32_t root_rank = -1;
  bool ignores_name_scope = false;
};

KernelAttributes read_attributes(const TensorFlowApi& tensorflow, void* construction);

class KernelTable {
 public:
  // A kernel at an address that was another's before takes its place.
  void keep(const void* kernel, const KernelAttributes& attributes);
  bool find(const void* kernel, KernelAttributes& attributes);

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, KernelAttributes> kernels_;
};

}  // namespace lockstep::adapters::horovod
