// Compiled with the options that recorder/CMakeLists.txt gives this file alone.
#include "xxh3_build.h"

namespace lockstep::recorder {

constinit const Xxh3 wide_xxh3{sum_of, hash_of};

}  // namespace lockstep::recorder
