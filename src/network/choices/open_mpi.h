// The interfaces of Open MPI's TCP transport.
#pragma once

#include "network/choices/choice.h"

namespace lockstep::network {

// `environment` holds OMPI_MCA_btl_tcp_if_include and _exclude, also for parameters given as --mca.
Choice choose_open_mpi(const hostinfo::HostFacts& facts, const Environment& environment);

}  // namespace lockstep::network
