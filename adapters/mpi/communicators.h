// The communicators of this process, as the recorder knows them.
//
// A name must be the same on all members without asking them: the name of the parent and the how-manieth
// creating call on it this was ("MPI_COMM_WORLD/split 2"), for creating calls are collective over the parent.
#pragma once

#include "abi.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

// The id for collectives; 0: not to be recorded (an intercommunicator, or there is no room).
std::uint32_t communicator_id(MPI_Comm communicator);

// The id for messages with a tag, which meet in order only among themselves; 0: too many tags are in use.
std::uint32_t channel_id(MPI_Comm communicator, int tag);

// As they are, or in a replay as they were.
int rank_in(MPI_Comm communicator);
int size_of(MPI_Comm communicator);
// The ranks of the world that are in it; false when they cannot be told.
bool list_members(MPI_Comm communicator, int size, int* members);

void add_world();
// `verb` says how `made` came from `parent`: "split". The number is taken before the call, equal on all.
int next_creation(MPI_Comm parent);
void add_communicator(MPI_Comm made, MPI_Comm parent, const char* verb, int number);
void forget_communicator(MPI_Comm communicator);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
