// Which question finds the end of an operation on a device.
#pragma once

#include <torch/csrc/distributed/c10d/Work.hpp>

#include "device_progress.h"

namespace lockstep::pytorch {

// Returns the Work to give to the caller in place of `work`, or null to leave it as it is.
c10::intrusive_ptr<c10d::Work> follow_device(const DeviceCall& call, const void* group,
                                             const c10::intrusive_ptr<c10d::Work>& work);

// Operations between the two run together when the second is called, as one Work or none.
void begin_batch(const void* group);
void end_batch(const void* group, const c10::intrusive_ptr<c10d::Work>& work);

}  // namespace lockstep::pytorch
