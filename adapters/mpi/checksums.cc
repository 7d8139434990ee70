#include "checksums.h"

#include "region.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

bool sum(Span span, std::uint64_t& result) {
  if (!is_readable(span.data, span.bytes)) return false;
  const lockstep_piece piece{span.data, span.bytes};
  result = lockstep_checksum_pieces(&piece, 1);
  return true;
}

}  // namespace

Span span_of(const void* data, MPI_Datatype type, std::int64_t count) {
  int size = 0;
  if (lockstep_wants_checksums() == 0) return {};
  if (predefined_type_of(type) == LOCKSTEP_DATA_TYPE_Unknown || count < 0) return {};
  if (real.Type_size(type, &size) != MPI_SUCCESS) return {};
  return {data, static_cast<std::size_t>(count) * static_cast<std::size_t>(size)};
}

Checksums::Checksums(Span input, Span output) : output_(output), is_wanted_(true) {
  facts_.size = sizeof facts_;
  facts_.has_input = sum(input, facts_.input) ? 1 : 0;
}

void Checksums::note(const lockstep_ticket& ticket) const {
  if (!is_wanted_) return;
  lockstep_checksum_facts facts = facts_;
  facts.has_output = sum(output_, facts.output) ? 1 : 0;
  if (facts.has_input != 0 || facts.has_output != 0) lockstep_note_checksums(&ticket, &facts);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
