// The bytes of tensors for the payload: to be kept, or to be filled in a replay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "lockstep/payload.h"

namespace lockstep::pytorch {

inline bool payload_keeps() {
  return lockstep_payload_mode() == LOCKSTEP_PAYLOAD_KEEPS;
}
inline bool payload_serves() {
  return lockstep_payload_mode() == LOCKSTEP_PAYLOAD_SERVES;
}

void keep_inputs(const lockstep_ticket& ticket, const std::vector<at::Tensor>& inputs);

// `source`: of a receive from anybody; else -1.
void keep_outputs(const lockstep_ticket& ticket, const std::vector<at::Tensor>& outputs, std::int32_t source);

// Neither what it is given nor what it gives back can be known.
void keep_nothing(const lockstep_ticket& ticket);

void keep_failure(const lockstep_ticket& ticket, const char* what);

// What a replayed call gives back.
struct Served {
  int status;  // lockstep_serve_status
  std::int32_t source;
  std::string error;  // what to raise; empty: nothing
};
Served serve_outputs(const lockstep_ticket& ticket, const char* name, const std::vector<at::Tensor>& outputs);

}  // namespace lockstep::pytorch
