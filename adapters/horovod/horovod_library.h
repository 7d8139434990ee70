// Horovod's native library in this process: what it says of ranks and process sets.
#pragma once

#include <cstdint>

namespace lockstep::adapters::horovod {

class HorovodLibrary {
 public:
  // `handle` as dlopen gave it. False when it is not Horovod's.
  bool open(void* handle);

  // Asks these functions from now on, not the library's own.
  void answer_with(int (*own_rank)(), int (*world_size)(), int (*set_size)(int), int (*set_ranks)(int, int*));

  // The global ranks of a process set, ascending; their number, or 0 when it is not known or not this rank's.
  int members_of(std::int32_t process_set, std::int32_t* ranks, int most) const;
  int rank() const { return rank_(); }
  const char* backend() const;

  // Horovod's number of a reduce op as ours.
  std::uint8_t reduce_op(int number) const;

  void* find(const char* name) const;

 private:
  using Number = int (*)();

  int ask(const char* name) const;

  void* handle_ = nullptr;
  Number rank_ = nullptr;
  Number size_ = nullptr;
  int (*process_set_size_)(int) = nullptr;  // older Horovods have no process sets
  int (*process_set_ranks_)(int, int*) = nullptr;
};

}  // namespace lockstep::adapters::horovod
