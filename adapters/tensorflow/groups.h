// Which communicator a group of TensorFlow is. A group is known by its key, an integer that all members agree
// on; its members are devices, and the ranks are the tasks that own them.
#pragma once

#include <cstdint>

#include <tensorflow/core/framework/collective.h>

namespace lockstep::tensorflow_adapter {

// The tasks of the cluster in the order of their ranks, one to a line ("/job:worker/replica:0/task:1"), and
// which of them take part in collectives: the first `collective_tasks`.
void set_tasks(const char* lines, std::uint32_t collective_tasks);

// Where a call is recorded: a communicator, and its number there (0: the recorder counts).
struct Meeting {
  std::uint32_t communicator = 0;  // 0: the members are not known yet, or another device stands for this rank
  std::uint64_t sequence = 0;
};

// The next execution of an instance. TensorFlow gives every execution an instance key of its own, counted in
// each group in the same order on all ranks: the number of the meeting. Only in a loop within a function, and
// where the program chose the keys, one key comes again: in a communicator of its own, by the count of its
// executions.
Meeting next_meeting(const tensorflow::CollectiveParams& params, const std::string& device);

// This instance runs in an order that is the same on all ranks (TensorFlow's ordering tokens).
void note_ordered(const tensorflow::CollectiveParams& params);

}  // namespace lockstep::tensorflow_adapter
