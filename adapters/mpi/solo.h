// A rank of a recorded job alone (lockstep replay): MPI starts without a launcher and with one process, its
// communicators are as large as the recorded ones, and what calls gave back comes from the recording.
#pragma once

#include "lockstep/payload.h"

#include "abi.h"
#include "leave_replay.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

using mpi::is_solo;
using mpi::leave_replay;

// The program cannot go on: says why, as `answer` of lockstep_serve_status, and ends it.
[[noreturn]] void leave_replay(const lockstep_ticket& ticket, int answer);

// While this lives the process has no variables of a launcher, so that MPI starts by itself.
class WithoutLauncher {
 public:
  WithoutLauncher();
  ~WithoutLauncher();
  WithoutLauncher(const WithoutLauncher&) = delete;
  WithoutLauncher& operator=(const WithoutLauncher&) = delete;

 private:
  char** kept_;
  char** filtered_ = nullptr;
  std::size_t bytes_ = 0;
};

int recorded_rank();
int recorded_world_size();

// A communicator as it was recorded: the real one has this process alone.
struct SoloCommunicator {
  int rank = 0;
  int size = 0;
  const int* members = nullptr;  // ranks of the world, then the numbers of its topology
  int topology_count = 0;
};
bool add_solo_world();
bool add_solo_communicator(MPI_Comm communicator, int rank, int size, const int* members,
                           const int* topology = nullptr, int topology_count = 0);
const SoloCommunicator* find_solo_communicator(MPI_Comm communicator);  // null: one of MPI's own, as SELF
void forget_solo_communicator(MPI_Comm communicator);

void fill_solo_groups(AnyFunction* table);
void fill_solo_calls(AnyFunction* table);
void fill_solo_completions(AnyFunction* table);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
