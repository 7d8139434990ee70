// The wrappers of one MPI ABI: `table[function]` is to be called instead of the real one.
#pragma once

#include "library.h"

namespace lockstep::adapters::mpi {

namespace openmpi {
void fill_wrappers(const Library& library, AnyFunction* table);
void fill_solo_conversions(AnyFunction* conversions);  // in MPICH handles are the same in both languages
}  // namespace openmpi
namespace mpich {
void fill_wrappers(const Library& library, AnyFunction* table);
}

}  // namespace lockstep::adapters::mpi
