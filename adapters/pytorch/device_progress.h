// When an operation on a device (NCCL) ended, without waiting for the device: a thread of its own asks now
// and then. Of a Work it holds a weak reference only, so that tensors are freed when they would have been; an
// operation without a Work, and whoever waits for one, leaves an event behind it on its stream.
#pragma once

#include <atomic>
#include <memory>

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "lockstep/recorder.h"

#include "device_capture.h"

namespace lockstep::pytorch {

// One operation; several ways of finding out may lead to its end.
struct DeviceCall {
  lockstep_ticket ticket;
  c10::Device device;
  std::shared_ptr<std::atomic<bool>> is_told = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<DeviceOutputs> outputs = nullptr;  // when they are wanted

  // On a stream that is behind it.
  void take_outputs() const noexcept {
    if (outputs != nullptr) outputs->take();
  }

  void tell(std::uint8_t status, const char* error) const;
};

void ask_work(const DeviceCall& call, const c10::intrusive_ptr<c10d::Work>& work);

// It has ended when the current stream gets here.
void ask_event(const DeviceCall& call);

// The process ends: what has ended by now is told, and the device is not asked any more.
void stop_asking();

}  // namespace lockstep::pytorch
