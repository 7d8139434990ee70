// Sums of what lies on a CUDA device, made by the device itself at the speed of its memory (kernels/sum.cl).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace lockstep::pytorch {

bool can_sum_on(c10::Device device);

// Puts the summing of any number of tensors on the device's current stream: two words for each, on the
// device.
at::Tensor sum_on_device(const std::vector<at::Tensor>& tensors, c10::Device device);

// The same of a few tensors, with the words on the host when the stream has come here: no copies are needed.
class SumRooms {
 public:
  // Null when there is no room left, or there are too many.
  static std::shared_ptr<SumRooms> sum(const std::vector<at::Tensor>& tensors, c10::Device device);
  ~SumRooms();
  SumRooms(const SumRooms&) = delete;
  SumRooms& operator=(const SumRooms&) = delete;

  std::vector<std::uint64_t> words() const;

 private:
  struct Store;
  SumRooms(Store& store, std::vector<std::uint32_t> taken) : store_(store), taken_(std::move(taken)) {}
  static Store& store_of(c10::Device device);

  Store& store_;
  std::vector<std::uint32_t> taken_;
};

using DeviceSum = std::array<std::uint8_t, 16>;

// Of several tensors as one, from their words as they came from the device.
DeviceSum mix_sums(const std::uint64_t* words, const std::vector<std::uint64_t>& bytes);

// Half of it, where a checksum is wanted.
std::uint64_t mix_checksum(const std::uint64_t* words, const std::vector<std::uint64_t>& bytes);

}  // namespace lockstep::pytorch
