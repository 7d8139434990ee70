// Brings what lies on a device to the recorder without waiting for the device: summing and copying are put on
// its streams, and a thread of its own tells the recorder what has arrived.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "lockstep/recorder.h"

#include "device_events.h"

namespace lockstep::pytorch {

bool can_capture_on(c10::Device device);

// Sums `tensors`, which may change as soon as the current stream goes on, and calls `tell` with two words for
// each of them. Throws when the device cannot.
void capture_sums(const std::vector<at::Tensor>& tensors, c10::Device device,
                  std::function<void(const std::uint64_t* words)> tell);

// What a call is given: to be called before it is issued.
void capture_input_sum(const lockstep_ticket& ticket, const std::vector<at::Tensor>& inputs);
void capture_input_checksum(const lockstep_ticket& ticket, const std::vector<at::Tensor>& inputs);

// What a call gives back. Several ways may lead to its end; the first that does so takes it.
class DeviceOutputs {
 public:
  struct Wanted {
    bool bytes = false;
    bool checksum = false;
  };
  DeviceOutputs(const lockstep_ticket& ticket, c10::Device device, std::vector<at::Tensor> outputs,
                Wanted wanted);
  ~DeviceOutputs();
  DeviceOutputs(const DeviceOutputs&) = delete;
  DeviceOutputs& operator=(const DeviceOutputs&) = delete;

  // On a stream that is behind the call: whoever goes on there may change the outputs.
  void take() noexcept;

 private:
  void put_copies();

  lockstep_ticket ticket_;
  c10::Device device_;
  std::vector<at::Tensor> outputs_;
  Wanted wanted_;
  std::mutex mutex_;
  std::optional<DeviceEvent> taken_;
  bool is_kept_ = false;
};

// The process ends: what is on its way is told.
void stop_capturing();

}  // namespace lockstep::pytorch
