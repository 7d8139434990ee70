// The few questions that PyTorch's device-independent interface does not answer, put to the runtime that the
// process has loaded. Looked up at run time: no header and no library of CUDA or HIP is needed to build.
#pragma once

#include <cstdint>

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

namespace lockstep::pytorch {

struct DeviceStream {
  std::uint64_t number = 0;
  bool is_capturing = false;  // into a graph: nothing runs now
};
DeviceStream current_stream(c10::Device device);

// False when it cannot be known whether a stream is being captured: then the device is left alone.
bool can_ask_device(c10::Device device);

// Lets the calling thread ask for events while another one captures a graph, without breaking the capture.
void allow_questions_during_capture();

}  // namespace lockstep::pytorch
