// The payload of a recorded rank, or of one that is replayed: files beside the record, names of
// communicators.
#pragma once

#include "lockstep/payload.h"

#include "breakpoint.h"
#include "rank_file.h"
#include "recorder/core/communicator_names.h"
#include "recorder/core/payload_index.h"
#include "recorder/core/payload_keeper.h"
#include "recorder/core/resumed_numbers.h"
#include "settings.h"

namespace lockstep::recorder {

class Payload {
 public:
  void open(const Settings& settings, const OpenedRank& rank);

  lockstep_payload_mode_number mode() const { return mode_; }

  void define_communicator(std::uint32_t id, const lockstep_communicator_facts& facts);

  // Whose communicator is 0 is of a call that nothing is kept of.
  PayloadKey key_of(const lockstep_ticket& ticket);

  void begin_step();

  PayloadKeeper& keeper() { return keeper_; }
  const PayloadIndex& index() const { return index_; }
  Breakpoint& breakpoint() { return breakpoint_; }

  void drain() {
    if (mode_ != LOCKSTEP_PAYLOAD_OFF) keeper_.drain();
  }

 private:
  lockstep_payload_mode_number mode_ = LOCKSTEP_PAYLOAD_OFF;
  CommunicatorNames names_;
  PayloadKeeper keeper_;
  PayloadIndex index_;
  ResumedNumbers resumed_;
  Breakpoint breakpoint_;
  std::uint64_t first_step_ = 0;  // of a replay that resumes
};

}  // namespace lockstep::recorder
