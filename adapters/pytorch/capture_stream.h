// The stream on which the result of a call is captured, where the job only asks for its future.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include "lockstep/recorder.h"

namespace lockstep::pytorch {

// Collectives of one communicator end in their order and share one: streams share the queues of a device, and
// one for each call makes the job's own wait. A message may end after later ones, and gets one of its own.
c10::Stream capture_stream(const lockstep_ticket& ticket, c10::Device device);

}  // namespace lockstep::pytorch
