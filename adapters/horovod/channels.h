// Under which communicator and number a call is recorded.
//
// Horovod brings tensors together by their names, in whatever order they become ready. So each name of a
// process set is a channel of its own, a communicator "horovod allreduce.fc.weight", and a call is the n-th
// use of that name. In one communicator for all of them, numbers would follow the order of issue, which
// differs from rank to rank in healthy jobs.
//
// hvd.join ends the life of the numbers: a rank that joined used its names less often than the others. When a
// join is over everyone counts from the next multiple of kNumbersOfALife.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "horovod_library.h"

namespace lockstep::adapters::horovod {

inline constexpr std::uint64_t kNumbersOfALife = 1'000'000'000;

struct Place {
  std::uint32_t communicator = 0;  // 0: the call is not recorded
  std::uint64_t sequence = 0;
};

class Channels {
 public:
  // `name` is the id of an interned string, `text` the same in letters with a closing zero.
  Place next(const HorovodLibrary& horovod, std::int32_t process_set, std::uint32_t name, const char* text);

  void end_life_of_numbers() { joins_.fetch_add(1, std::memory_order_relaxed); }

  // Horovod was started again: other members, numbers from 1. Not while calls are being made.
  void forget_all();

  static constexpr std::size_t kMost = 4096;

 private:
  struct Channel {
    std::atomic<std::uint64_t> key;  // process set and name; 0: free
    std::atomic<std::uint32_t> communicator;
    std::atomic<std::uint64_t> uses;  // joins before, then how often since
  };

  Channel* find(std::uint64_t key);
  std::uint64_t count(Channel& channel);

  Channel channels_[2 * kMost];
  std::atomic<std::size_t> taken_{0};
  std::atomic<std::uint32_t> joins_{0};
};

}  // namespace lockstep::adapters::horovod
