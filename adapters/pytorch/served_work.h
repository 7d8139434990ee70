// The Work of a call that was not made: it has ended, or it raises what the recorded one raised when it is
// waited for.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/ivalue.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

namespace lockstep::pytorch {

c10::intrusive_ptr<c10d::Work> served_work(std::vector<at::Tensor> outputs, std::int32_t source,
                                           const std::string& error);

}  // namespace lockstep::pytorch
