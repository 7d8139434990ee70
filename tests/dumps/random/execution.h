// Runs a job until nothing moves any more, and says how far each call of each rank came.
//
// A host issues its calls in order and waits where its program waits for the device. A device starts a call
// when the calls it needs are done, and in the order of issue within one group (one stream). A collective
// ends when all members have started it and brought the same; a message when both ends have started. Nothing
// is timed: what can happen happens, so the end state does not depend on an order of events.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "mesh_job.h"

namespace lockstep::dumps {

enum class FaultKind {
  kHostStuck,     // the host never issues the call: data loader, checkpoint, endless loop
  kGilHeld,       // the same, and whoever takes the dump cannot take stacks
  kDead,          // the same, and there is no dump
  kDeviceStuck,   // the call is issued, and the device never gets to it
  kDeviceInside,  // the device takes part in it and does not come out
  kSkipped,       // the host leaves the call out
  kReordered      // the host issues it after the next call of another group
};
std::string_view name_of(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kHostStuck;
  int rank = 0;
  int at = 0;  // place in the rank's program

  bool operator==(const Fault&) const = default;
};

struct Call {
  const Op* op = nullptr;
  int place = 0;     // in the program as it was meant
  int sequence = 0;  // of a collective in its group, from 1; of a message: the last collective's
  int message_sequence = 0;
  int operation = 0;                        // op_id
  std::array<std::size_t, 2> numbers = {};  // of its messages on their channels
  bool is_started = false;
  bool is_completed = false;
};

struct Execution {
  std::vector<std::vector<Call>> issued;  // by rank, in the order of issue
  std::vector<std::size_t> length;        // of each rank's program as its host ran it
  std::vector<bool> reached;              // by fault: whether it did anything
  bool is_finished() const;
};

Execution execute(const MeshJob& job, std::span<const Fault> faults);

// The calls that the host of the fault's rank would issue with it, one after the other, whatever its device
// does.
std::vector<Call> issue_all(const MeshJob& job, const Fault& fault);

}  // namespace lockstep::dumps
