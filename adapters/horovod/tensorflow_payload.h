// What Horovod's TensorFlow kernels are given and give back, with payload: kept in a recording, served in a
// replay.
#pragma once

#include "lockstep/payload.h"

#include "tensorflow_api.h"

namespace lockstep::adapters::horovod {

// What a kernel is given, before it runs. `gives` is false where its input is only room.
void keep_inputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket, bool gives);

// What it gave back, before TensorFlow goes on.
void keep_outputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket);

void keep_failure(const lockstep_ticket& ticket);

// In a replay, instead of running it: its recorded outputs. False when it fails the step, with the reason.
bool serve_outputs(const TensorFlowApi& tensorflow, void* context, const lockstep_ticket& ticket);

// Fails the step: a kernel whose result cannot be kept is met in a replay.
void refuse_replay(const TensorFlowApi& tensorflow, void* context);

}  // namespace lockstep::adapters::horovod
