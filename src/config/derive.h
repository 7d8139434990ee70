// What every launcher means in its own words, said once for all: field::kNodes, field::kMasterAddress.
#pragma once

#include "base/host_port.h"
#include "config/reading.h"

namespace lockstep::config {

// Host lists and files that flags name, then the values that all launchers have in common, then what policies
// of a cluster mean.
void derive_job(const Reading& reading);

using base::Endpoint;
using base::endpoint_of;

}  // namespace lockstep::config
