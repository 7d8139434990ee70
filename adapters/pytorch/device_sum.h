// Sums of what lies on a CUDA device, made by the device itself at the speed of its memory (kernels/sum.cl).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace lockstep::pytorch {

bool can_sum_on(c10::Device device);

// Puts the summing on the device's current stream: two words for each tensor, on the device.
at::Tensor sum_on_device(const std::vector<at::Tensor>& tensors, c10::Device device);

using DeviceSum = std::array<std::uint8_t, 16>;

// Of several tensors as one, from their words as they came from the device.
DeviceSum mix_sums(const std::uint64_t* words, const std::vector<std::uint64_t>& bytes);

}  // namespace lockstep::pytorch
