#include "payload.h"

#include "lockstep/recorder.h"

#include "handles.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

constexpr int kMostParts = 16;
constexpr int kDeepest = 8;

bool is_made_by_program(int combiner) {
  return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
         combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
}

// The type of all elements, or Other when they differ or nobody can tell.
std::uint8_t element_type(MPI_Datatype type, int depth) {
  if (const std::uint8_t known = predefined_type_of(type)) return known;
  int integers = 0;
  int addresses = 0;
  int parts = 0;
  int combiner = 0;
  if (depth == kDeepest ||
      real.Type_get_envelope(type, &integers, &addresses, &parts, &combiner) != MPI_SUCCESS) {
    return LOCKSTEP_DATA_TYPE_Other;
  }
  constexpr int kMostNumbers = 256;
  const bool is_small =
      parts > 0 && parts <= kMostParts && integers <= kMostNumbers && addresses <= kMostNumbers;
  if (!is_made_by_program(combiner) || !is_small) return LOCKSTEP_DATA_TYPE_Other;
  int integer_values[kMostNumbers];
  MPI_Aint address_values[kMostNumbers];
  MPI_Datatype part_types[kMostParts];
  if (real.Type_get_contents(type, integers, addresses, parts, integer_values, address_values, part_types) !=
      MPI_SUCCESS) {
    return LOCKSTEP_DATA_TYPE_Other;
  }
  std::uint8_t common = LOCKSTEP_DATA_TYPE_Unknown;
  for (int i = 0; i < parts; ++i) {
    const std::uint8_t part = element_type(part_types[i], depth + 1);
    if (common != LOCKSTEP_DATA_TYPE_Unknown && part != common) common = LOCKSTEP_DATA_TYPE_Other;
    if (common == LOCKSTEP_DATA_TYPE_Unknown) common = part;
    // Named types are not ours to free; asking gives a handle of our own for all others.
    int ignored = 0;
    real.Type_get_envelope(part_types[i], &ignored, &ignored, &ignored, &combiner);
    if (is_made_by_program(combiner)) real.Type_free(&part_types[i]);
  }
  return common;
}

}  // namespace

Payload payload_of(MPI_Datatype type, std::int64_t count) {
  int size = 0;
  if (count < 0 || real.Type_size(type, &size) != MPI_SUCCESS || size < 0) return {};
  return {element_type(type, 0), static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size)};
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
