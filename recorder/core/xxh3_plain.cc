#include "xxh3_build.h"

namespace lockstep::recorder {

constinit const Xxh3 plain_xxh3{sum_of, hash_of};

}  // namespace lockstep::recorder
