// Rules that let all connections of a job pass the firewalls of some of its hosts.
#pragma once

#include <vector>

#include "check/repair/patch.h"

namespace lockstep::repair {

// On hosts for which `may_open` is set. What another rule blocks behind the first is opened too.
void open_firewalls(const std::vector<bool>& may_open, Patched& patched);

}  // namespace lockstep::repair
