// Calls on their way from the threads that issue them to the one that asks for their end. A ring with a
// number on each place: many give, one takes, nobody waits.
#pragma once

#include "lockstep/recorder.h"

#include "events.h"

namespace lockstep::adapters::nccl {

struct Question {
  lockstep_ticket ticket;
  RecordedEvent recorded;
  Stream stream;
  bool owns_event;
};

constexpr std::size_t kMostQuestions = 1 << 14;  // a stream takes about a thousand kernels before it blocks

// False: there is no room.
bool add_question(const Question& question);

// The oldest; false when there is none. One taker at a time.
bool take_question(Question& question);

}  // namespace lockstep::adapters::nccl
