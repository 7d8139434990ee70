// Horovod's TensorFlow kernels, seen when they run: in eager mode, in graphs, in sessions alike.
#pragma once

#include "horovod_library.h"

namespace lockstep::adapters::horovod {

// Null, or what keeps TensorFlow's calls from being seen. `handle`: of Horovod's library for TensorFlow.
// `horovod` must live as long as the process.
const char* watch_tensorflow(void* handle, const HorovodLibrary& horovod);

}  // namespace lockstep::adapters::horovod
