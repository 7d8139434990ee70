// NCCL behind the front: a file of the same name, somewhere else.
#pragma once

namespace lockstep::adapters::nccl::front {

// Its handle, or null. Looked for, in this order: LOCKSTEP_NCCL_LIBRARY; what the process has loaded; beside
// the libraries that it has loaded, as pip lays packages out; LD_LIBRARY_PATH; the folders of the system.
void* load_real_library();

}  // namespace lockstep::adapters::nccl::front
