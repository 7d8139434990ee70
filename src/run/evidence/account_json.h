// An account as JSON, for the recording: see docs/recorder.md.
#pragma once

#include "base/json.h"
#include "run/evidence/collect.h"

namespace lockstep::evidence {

base::Json to_json(const hostinfo::HostState& facts);
base::Json to_json(const Testimony& testimony);

base::Json to_json(const Account& account);

}  // namespace lockstep::evidence
