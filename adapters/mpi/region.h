// Memory that a call reads or fills, and its bytes in the order of MPI's elements: in place where a type has
// no gaps, else packed by MPI.
#pragma once

#include "lockstep/payload.h"

#include "abi.h"
#include "local_array.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

struct Region {
  const void* data = nullptr;
  std::int64_t count = 0;  // of elements of `type`, unless there are several blocks
  MPI_Datatype type = {};
  int blocks = 0;  // 0: nothing
  const int* counts = nullptr;
  const int* offsets = nullptr;           // of the blocks, in elements; with `types` in bytes
  const MPI_Aint* far_offsets = nullptr;  // instead of them, in bytes
  const MPI_Datatype* types = nullptr;    // of the blocks; null: all are of `type`
  std::int64_t bytes = -1;                // at most these are filled; -1: all
};

Region plain(const void* data, MPI_Datatype type, std::int64_t count);
Region blocks_of(const void* data, MPI_Datatype type, const int* counts, const int* offsets, int blocks);
Region blocks_of(const void* data, const MPI_Datatype* types, const int* counts, const int* offsets,
                 int blocks);
Region blocks_of(const void* data, const MPI_Datatype* types, const int* counts, const MPI_Aint* offsets,
                 int blocks);
Region block_at(const Region& region, int block);

// The first byte of element `index`.
const void* element_at(const void* data, MPI_Datatype type, std::int64_t index);

// The program may free its types while a call is under way.
void hold_type(Region& region);
void release_type(Region& region);

// False for memory of a device: reading that here would end the program.
bool is_readable(const void* data, std::size_t bytes);

class Image {
 public:
  enum class Use { kRead, kFill };
  Image(const Region& region, Use use);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  bool is_whole() const { return is_whole_; }  // false: it cannot be read, or there was no memory
  int count() const { return count_; }
  lockstep_piece piece(int block) { return pieces_.data()[block]; }

  // What was put in the pieces becomes the program's.
  void hand_over();

 private:
  bool add(const Region& block, Use use, int number);

  const Region& region_;
  int count_;
  LocalArray<lockstep_piece> pieces_;
  LocalArray<char*> packed_;  // of our own; null: in place
  bool is_whole_ = true;
};

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
