// What MPI chose where it has a choice: which request was over first, how often nothing was over before that,
// whose message came. One after the other, as the program asked; kept for a replay, which is given the same.
#pragma once

#include "kept.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {

// Numbers that recordings hold.
enum class Choice : std::int32_t {
  kTest = 1,
  kTestall = 2,
  kTestany = 3,
  kTestsome = 4,
  kWaitany = 5,
  kWaitsome = 6,
  kProbe = 7,
  kIprobe = 8,
  kCreateGroup = 9,
  kMprobe = 10,
  kImprobe = 11,
};

// Nothing was over.
void keep_miss();

// What came about, as numbers.
void keep_choice(Choice choice, const std::int32_t* numbers, int count);

// In a replay: true when the recorded call found nothing.
bool is_recorded_miss(Choice choice);

// How many numbers the recorded call gave, then the numbers, after which the next call is meant.
int recorded_count();
void take_recorded(Choice choice, std::int32_t* numbers, int count);

// Envelopes are such numbers too.
constexpr int kEnvelopeNumbers = sizeof(Envelope) / sizeof(std::int32_t);

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
