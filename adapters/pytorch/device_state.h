// What a rank has learned by the end of a step, where some of it lies on a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace lockstep::pytorch {

// One name for each tensor, one to a line. False when the device cannot sum them.
bool keep_state(std::uint64_t step, const std::string& names, const std::vector<at::Tensor>& tensors);

}  // namespace lockstep::pytorch
