// What ran and where, for whoever compares two runs: attributes of the rank's record.
#pragma once

namespace lockstep::adapters::mpi {

void tell_surroundings();

}  // namespace lockstep::adapters::mpi
