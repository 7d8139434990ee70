// The few functions of the CUDA driver by which the end of a call is noticed. The driver that the process has
// loaded: no header, no library and no version of CUDA's run time is needed.
#pragma once

#include "abi.h"

namespace lockstep::adapters::nccl {

using Event = struct CudaEvent*;      // CUevent
using Context = struct CudaContext*;  // CUcontext

constexpr int kNotReady = 600;

struct Driver {
  int (*create_event)(Event* event, unsigned flags);
  int (*record_event)(Event event, Stream stream);
  int (*query_event)(Event event);
  int (*destroy_event)(Event event);
  int (*is_capturing)(Stream stream, int* status);
  int (*exchange_capture_mode)(int* mode);
  int (*context_of_stream)(Stream stream, Context* context);
  int (*current_context)(Context* context);
  int (*set_context)(Context context);
  int (*push_context)(Context context);
  int (*pop_context)(Context* context);
};

// Null when there is none, or one that lacks something: then nothing is asked of the device at all.
const Driver* driver();

// While it lives, the calling thread may use the driver without breaking a capture of another thread.
class CaptureTruce {
 public:
  explicit CaptureTruce(const Driver& driver) : driver_(driver) { driver_.exchange_capture_mode(&mode_); }
  ~CaptureTruce() { driver_.exchange_capture_mode(&mode_); }
  CaptureTruce(const CaptureTruce&) = delete;
  CaptureTruce& operator=(const CaptureTruce&) = delete;

 private:
  const Driver& driver_;
  int mode_ = 2;  // relaxed; then what it was before
};

}  // namespace lockstep::adapters::nccl
