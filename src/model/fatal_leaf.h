// Which kinds of fault end the process that meets them.
#pragma once

#include "model/leaf.h"

namespace lockstep::model {

// Failures of programs, packages and set-up: whoever ended well caught them. A job can suffer from the others
// without ending: slowness, a slow transport, results, how it uses its ranks.
bool is_fatal(Leaf leaf);

}  // namespace lockstep::model
