// A /dev/shm of the attempt's own, for jobs that met the end of the host's: in a mount namespace, which needs
// no rights where users may have namespaces.
#pragma once

#include <cstdint>

namespace lockstep::service {

// For this process and all it starts from now on. False: this host does not allow it, and nothing has
// changed.
bool enter_own_shared_memory(std::int64_t bytes);

}  // namespace lockstep::service
