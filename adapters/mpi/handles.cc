#include "handles.h"

#include "lockstep/recorder.h"

#include "predefined.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

struct Word {
  std::uint64_t key;
  std::uint8_t number;
};
constexpr std::size_t kMostWords = 48;
Word ops[kMostWords];
Word types[kMostWords];

std::uint8_t number_of(const Word (&words)[kMostWords], std::uint64_t key, std::uint8_t otherwise) {
  for (const Word& word : words) {
    if (word.key == key) return word.number;
    if (word.key == 0) break;
  }
  return otherwise;
}

}  // namespace

Handles handles;

// An address that the library does not have stays 0 and is never met.
#ifdef OPEN_MPI
#define LOCKSTEP_MPI_KEY(constant, symbol) reinterpret_cast<std::uintptr_t>(find_variable(library, #symbol))
#else
#define LOCKSTEP_MPI_KEY(constant, symbol) key_of(constant)
#endif

void find_handles(const Library& library) {
#ifdef OPEN_MPI
  handles.world = static_cast<MPI_Comm>(find_variable(library, "ompi_mpi_comm_world"));
  handles.self = static_cast<MPI_Comm>(find_variable(library, "ompi_mpi_comm_self"));
  handles.null_communicator = static_cast<MPI_Comm>(find_variable(library, "ompi_mpi_comm_null"));
  handles.null_request = static_cast<MPI_Request>(find_variable(library, "ompi_request_null"));
  handles.byte = static_cast<MPI_Datatype>(find_variable(library, "ompi_mpi_byte"));
  handles.null_group = static_cast<MPI_Group>(find_variable(library, "ompi_mpi_group_null"));
  handles.null_message = static_cast<MPI_Message>(find_variable(library, "ompi_message_null"));
  handles.unweighted = MPI_UNWEIGHTED;
#else
  const auto* unweighted = static_cast<int**>(find_variable(library, "MPI_UNWEIGHTED"));
  handles = {MPI_COMM_WORLD, MPI_COMM_SELF,  MPI_COMM_NULL,    MPI_REQUEST_NULL,
             MPI_BYTE,       MPI_GROUP_NULL, MPI_MESSAGE_NULL, unweighted == nullptr ? nullptr : *unweighted};
#endif
  std::size_t used = 0;
#define LOCKSTEP_MPI_ADD(constant, symbol, word)                                \
  if (const std::uint64_t key = LOCKSTEP_MPI_KEY(constant, symbol); key != 0) { \
    ops[used++] = {key, LOCKSTEP_REDUCE_OP_##word};                             \
  }
  LOCKSTEP_MPI_OPS(LOCKSTEP_MPI_ADD)
#undef LOCKSTEP_MPI_ADD
  used = 0;
#define LOCKSTEP_MPI_ADD(constant, symbol, word)                                \
  if (const std::uint64_t key = LOCKSTEP_MPI_KEY(constant, symbol); key != 0) { \
    types[used++] = {key, LOCKSTEP_DATA_TYPE_##word};                           \
  }
  LOCKSTEP_MPI_TYPES(LOCKSTEP_MPI_ADD)
#undef LOCKSTEP_MPI_ADD
}

std::uint8_t reduce_op_of(MPI_Op op) {
  return number_of(ops, key_of(op), LOCKSTEP_REDUCE_OP_Other);
}

std::uint8_t predefined_type_of(MPI_Datatype type) {
  return number_of(types, key_of(type), LOCKSTEP_DATA_TYPE_Unknown);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
