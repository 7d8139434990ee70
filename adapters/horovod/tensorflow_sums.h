// Sums of what Horovod's TensorFlow kernels are given and give back, where the user asked for them.
#pragma once

#include "lockstep/recorder.h"

#include "tensorflow_api.h"

namespace lockstep::adapters::horovod {

// Whether they are asked for and can be taken: memory of a device cannot be read, and no kernel tells where
// its tensors are.
bool takes_sums(const TensorFlowApi& tensorflow);

// What a kernel is given, before it runs.
void sum_inputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket);

// What it gave back, before TensorFlow goes on.
void sum_outputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket);

}  // namespace lockstep::adapters::horovod
