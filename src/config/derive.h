// What every launcher means in its own words, said once for all: Fields::kNodes, Fields::kMasterAddress.
#pragma once

#include "config/reading.h"

namespace lockstep::config {

// Host lists and files that flags name, then the values that all launchers have in common, then what policies
// of a cluster mean.
void derive_job(const Reading& reading);

}  // namespace lockstep::config
