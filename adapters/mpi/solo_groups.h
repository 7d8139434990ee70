// Groups of a replay: lists of ranks of the recorded world.
#pragma once

#include "abi.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

struct SoloGroup {
  int* members;  // null: free
  int size;
  int room;
  MPI_Group handle;
};

SoloGroup* find_group(MPI_Group handle);  // null: one of MPI's own

// An empty one with room for `room` members.
SoloGroup* make_group(int room, MPI_Group* handle);

int place_in(const SoloGroup& group, int member);  // MPI_UNDEFINED: nowhere
bool holds(const SoloGroup& group, int member);
void append(SoloGroup& group, int member);

// Any group as one of ours. MPI's own have the members they can have here: none, or this rank.
class Ours {
 public:
  explicit Ours(MPI_Group handle);
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;

 private:
  const SoloGroup& as_ours(MPI_Group handle);

  SoloGroup own_{};
  int room_[1]{};

 public:
  const SoloGroup& group;
};

// False when MPI itself knows the communicator's members.
bool make_group_of(MPI_Comm communicator, MPI_Group* group);
void compare_groups(MPI_Group one, MPI_Group other, int* result);
void free_group(MPI_Group* group);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
