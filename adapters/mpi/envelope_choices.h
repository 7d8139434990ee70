// Whose message was found, of what tag and length: a choice of MPI.
#pragma once

#include "choices.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

inline bool is_chosen(int source) {
  return source != MPI_PROC_NULL && lockstep_is_recording() != 0 && keeps_payload();
}

inline void keep_envelope(Choice choice, const MPI_Status& status) {
  const Envelope envelope = envelope_of_found(status);
  keep_choice(choice, reinterpret_cast<const std::int32_t*>(&envelope), kEnvelopeNumbers);
}

inline void take_envelope(Choice choice, MPI_Status* status) {
  Envelope envelope{};
  take_recorded(choice, reinterpret_cast<std::int32_t*>(&envelope), kEnvelopeNumbers);
  write_status(envelope, status);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
