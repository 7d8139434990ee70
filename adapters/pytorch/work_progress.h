// When an operation on the CPU ended. Nobody waits for it here: its future calls back, or, where a Work has
// no future (Gloo's sends and receives), the one who waits for it finds out and tells.
#pragma once

#include <vector>

#include <ATen/core/ivalue.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "lockstep/recorder.h"

namespace lockstep::pytorch {

// What is told when an operation ends.
struct Progress {
  lockstep_ticket ticket;
  std::vector<at::Tensor> outputs;  // held when they are wanted at the end
  bool is_posted = false;           // the rank waits for it only when it says so
  bool sums = false;                // the outputs are to be summed at the end
  bool keeps = false;               // ... and to be kept

  void wait() const noexcept;
  void complete(std::int32_t source = -1) noexcept;  // who sent it, of a receive from anybody
  void fail(const char* what) noexcept;
};

// The Work among the results of an operation; null when there is none.
c10::intrusive_ptr<c10d::Work> work_in(const c10::IValue* result);

// False when the work has no future.
bool tell_by_future(c10d::Work& work, const Progress& progress);

// A Work that does what `inner` does, call for call, and tells when it is seen to have ended.
c10::intrusive_ptr<c10d::Work> watched(c10::intrusive_ptr<c10d::Work> inner, Progress progress);

}  // namespace lockstep::pytorch
