// What every launcher means in its own words, said once for all: field::kNodes, field::kMasterAddress.
#pragma once

#include "config/reading.h"

namespace lockstep::config {

// Host lists and files that flags name, then the values that all launchers have in common, then what policies
// of a cluster mean.
void derive_job(const Reading& reading);

// host:port, [::1]:port, host. Neither part need be there.
struct Endpoint {
  std::string host;
  std::string port;
};
Endpoint endpoint_of(std::string_view text);

}  // namespace lockstep::config
