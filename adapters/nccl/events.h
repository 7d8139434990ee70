// Events of the device, used again and again: making one takes microseconds, recording one takes one.
#pragma once

#include "driver.h"

namespace lockstep::adapters::nccl {

// An event behind everything that is on the stream now; null when it cannot be had. Events of one context are
// of no use to another.
struct RecordedEvent {
  Event event = nullptr;
  Context context = nullptr;
};
RecordedEvent record_event(const Driver& driver, Stream stream);

// Nobody asks for it any more. From the asking thread only.
void give_back(const Driver& driver, RecordedEvent recorded);

}  // namespace lockstep::adapters::nccl
