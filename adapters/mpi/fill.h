// Puts wrappers into the table that the program's calls go through.
#pragma once

#include "abi.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

// The wrapper must be what the header says the real one is; one that this MPI lacks stays away.
template <typename Signature>
void put(AnyFunction* table, Function function, Signature* real_one, Signature* wrapper) {
  if (real_one != nullptr) table[function] = reinterpret_cast<AnyFunction>(wrapper);
}

#define LOCKSTEP_FILL(name) put(table, k##name, real.name, wrap_##name);

void fill_process_calls(AnyFunction* table);
void fill_collectives(AnyFunction* table);
void fill_messages(AnyFunction* table);
void fill_completions(AnyFunction* table);
void fill_communicator_calls(AnyFunction* table);
void fill_probes(AnyFunction* table);
void fill_matched_messages(AnyFunction* table);
void fill_neighbour_collectives(AnyFunction* table);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
