// Checksums of what a collective was given and gave back, when the user asked for them.
#pragma once

#include "calls.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

// Bytes of the program; none where they cannot be told (a type with gaps) or mean nothing on this rank.
struct Span {
  const void* data = nullptr;
  std::size_t bytes = 0;
};

// Empty when no checksums are wanted.
Span span_of(const void* data, MPI_Datatype type, std::int64_t count);

// The input is summed when this is made, the output when the call is over.
class Checksums {
 public:
  Checksums() = default;
  Checksums(Span input, Span output);
  void note(const lockstep_ticket& ticket) const;

 private:
  lockstep_checksum_facts facts_{};
  Span output_;
  bool is_wanted_ = false;
};

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
