#include "horovod_library.h"

#include <dlfcn.h>

#include "lockstep/recorder.h"

namespace lockstep::adapters::horovod {

void* HorovodLibrary::find(const char* name) const {
  return ::dlsym(handle_, name);
}

bool HorovodLibrary::open(void* handle) {
  handle_ = handle;
  rank_ = reinterpret_cast<Number>(find("horovod_rank"));
  size_ = reinterpret_cast<Number>(find("horovod_size"));
  process_set_size_ = reinterpret_cast<int (*)(int)>(find("horovod_process_set_size"));
  process_set_ranks_ = reinterpret_cast<int (*)(int, int*)>(find("horovod_process_set_ranks"));
  return rank_ != nullptr && size_ != nullptr;
}

void HorovodLibrary::answer_with(int (*own_rank)(), int (*world_size)(), int (*set_size)(int),
                                 int (*set_ranks)(int, int*)) {
  rank_ = own_rank;
  size_ = world_size;
  process_set_size_ = set_size;
  process_set_ranks_ = set_ranks;
}

int HorovodLibrary::members_of(std::int32_t process_set, std::int32_t* ranks, int most) const {
  if (size_ == nullptr) return 0;
  if (process_set == 0) {
    const int size = size_();
    if (size > most) return 0;
    for (int rank = 0; rank < size; ++rank) ranks[rank] = rank;
    return size > 0 ? size : 0;
  }
  if (process_set_size_ == nullptr || process_set_ranks_ == nullptr) return 0;
  const int size = process_set_size_(process_set);
  if (size <= 0 || size > most || process_set_ranks_(process_set, ranks) < 0) return 0;
  return size;
}

int HorovodLibrary::ask(const char* name) const {
  const auto question = reinterpret_cast<Number>(find(name));
  return question != nullptr ? question() : -1;
}

// Which of them moves the data, Horovod decides for each tensor; NCCL is there only when it was built for
// GPUs.
const char* HorovodLibrary::backend() const {
  if (ask("horovod_nccl_built") > 0) return "nccl";
  return ask("horovod_mpi_enabled") == 1 ? "mpi" : "gloo";
}

std::uint8_t HorovodLibrary::reduce_op(int number) const {
  struct Name {
    const char* function;
    std::uint8_t ours;
  };
  constexpr Name kNames[] = {{"horovod_reduce_op_average", LOCKSTEP_REDUCE_OP_Average},
                             {"horovod_reduce_op_sum", LOCKSTEP_REDUCE_OP_Sum},
                             {"horovod_reduce_op_adasum", LOCKSTEP_REDUCE_OP_Adasum},
                             {"horovod_reduce_op_min", LOCKSTEP_REDUCE_OP_Minimum},
                             {"horovod_reduce_op_max", LOCKSTEP_REDUCE_OP_Maximum},
                             {"horovod_reduce_op_product", LOCKSTEP_REDUCE_OP_Product}};
  for (const Name& name : kNames) {
    if (ask(name.function) == number) return name.ours;
  }
  return LOCKSTEP_REDUCE_OP_Other;
}

}  // namespace lockstep::adapters::horovod
