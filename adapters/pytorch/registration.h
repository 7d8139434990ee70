// Puts one boxed kernel in front of every c10d operation, at the dispatch key BackendSelect. That key is set
// for every thread whatever the tensors, the device or autograd's state are, so the kernel sees what DDP's
// C++ reducer, FSDP, functional collectives and plain calls issue, on any backend.
#pragma once

#include <string>
#include <vector>

namespace lockstep::pytorch {

void register_kernels();

// The operations go straight to their backends again. Not while another thread issues one.
void unregister_kernels();

// The names of the operations that are seen.
const std::vector<std::string>& seen_operations();

}  // namespace lockstep::pytorch
